"""What a hypothesis is measured by: recovery of the model, the stated equation, structures that are left."""
