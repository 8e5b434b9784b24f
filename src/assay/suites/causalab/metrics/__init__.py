"""Metrics of a hypothesis: recovery of the model, stated equation, structures that remain possible."""
