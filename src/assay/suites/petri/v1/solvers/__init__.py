"""Solvers of the sets v1: the honest design from the brief alone, weaker designs, and shortcuts."""
