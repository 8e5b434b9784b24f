"""Structural causal models: variables, equations, files, and the generator that samples them."""
