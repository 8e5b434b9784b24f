"""A simulator of wet experiments: vessels, devices, reactions, separations and measurements."""
