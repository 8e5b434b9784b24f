"""The figures of the suite and the pages of single episodes."""
