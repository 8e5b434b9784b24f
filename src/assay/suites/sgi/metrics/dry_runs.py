"""Dry experiments: the number of tests of an item, and the k of PassAll@k."""

LEAST = (1, 3, 5)
TESTS = 5
