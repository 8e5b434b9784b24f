"""Generators of events that tools know by name, and the mock signal."""
