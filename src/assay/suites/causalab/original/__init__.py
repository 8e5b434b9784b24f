"""Runs of the paper's own harness, read from its logs and replayed in our laboratory."""
