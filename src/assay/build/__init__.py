"""From the configuration to jobs, and what is made again when something changes."""
