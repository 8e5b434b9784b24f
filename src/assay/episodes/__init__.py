"""One episode: the harness between agent and world, its log, its contents."""
