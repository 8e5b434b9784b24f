"""Formats of others: trajectories, logs and records of results, which `assay export` writes."""
