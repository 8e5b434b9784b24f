"""Turn the configuration into jobs, and decide which jobs run again after a change."""
