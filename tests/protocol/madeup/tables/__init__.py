"""The suite's own tables."""
