"""Simulated experiments: runs of a world, comparisons of two arms, and the power to detect a difference."""
