"""Commands for people who try an agent of their own: `run`, `list`, `add-agent`, `init`, `completion`."""
