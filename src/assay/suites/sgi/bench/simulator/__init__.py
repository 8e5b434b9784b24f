"""The simulator of the bench: vessels, devices, reactions, separations, readings."""
