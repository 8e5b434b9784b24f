"""The searches of the chain, one module for each paper, and the code that they share."""
