"""Generators of events by name, and the mock generator."""
