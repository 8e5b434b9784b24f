"""Idea generation: problems in eight archetypes, each with three programmes of which one is the reference."""
