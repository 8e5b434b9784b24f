"""Commands for results of strangers: sent, decided, kept."""
