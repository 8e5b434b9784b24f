"""The worlds' checks, one module a world: `CHECKS` maps the name of a check to what it does."""
