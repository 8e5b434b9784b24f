"""Whole runs outside the harness: policies, ablations of the world, and the boom that a world holds."""
