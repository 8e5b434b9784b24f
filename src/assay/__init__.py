"""Assay regenerates, runs, scores and audits benchmarks for AI scientists."""

__version__ = "0.1.0"
