"""Deep research: an invented literature with conflicting evidence, and its synthesis by a standard."""
