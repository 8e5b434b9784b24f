"""Metrics of a hypothesis: recovery of the model, the stated equation, structures that are left."""
