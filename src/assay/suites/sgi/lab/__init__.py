"""Two laboratories around the suite: an evaluation from a question in words, and learning at test time."""
