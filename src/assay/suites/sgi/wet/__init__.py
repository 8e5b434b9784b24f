"""Wet experiments: a typed protocol machine, its families, its items, and a planner that reads them."""
