"""The checks of the provenance examination, grouped by what they look at, and the tests that they use."""
