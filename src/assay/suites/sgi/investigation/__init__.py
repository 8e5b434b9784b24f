"""The inquiry: one hidden world through all stages, from documents to the reading of one's own data."""
