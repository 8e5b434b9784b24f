"""Compares a build with the frozen results."""
