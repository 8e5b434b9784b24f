"""Dry experiments: scientific functions with holes, seeded conventions, tests that catch mutants."""
