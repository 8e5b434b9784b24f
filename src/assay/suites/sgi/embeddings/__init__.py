"""Texts as vectors: who can make them, each under a name that goes into every row that rests on it."""
