"""Whether submitted numbers follow from events that the run generated, and what that is decided from."""
