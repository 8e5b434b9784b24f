"""The searches that the chain has, one module for each paper, and what they share."""
