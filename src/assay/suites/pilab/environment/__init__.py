"""The environment of a lab: the parameters of the published world, its research field and random numbers."""
