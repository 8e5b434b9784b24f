"""Comparison of agents on any results: those of Assay, logs of Inspect AI, and tables of attempts."""
