"""The tables of the suite, each computed in the module that owns its concept."""
