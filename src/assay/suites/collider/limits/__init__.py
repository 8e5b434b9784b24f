"""Reinterpretation: what a search's observed counts exclude of a signal."""
