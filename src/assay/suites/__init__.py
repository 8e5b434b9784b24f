"""The suites: one package each, with the same rooms."""
