"""Dry experiments, version 1: programs whose holes are numerical methods for physics that records decide."""
