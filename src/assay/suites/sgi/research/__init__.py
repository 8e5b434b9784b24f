"""Deep research: an invented literature with traps, and questions that only its documents answer."""
