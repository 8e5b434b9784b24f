"""Fields in space, and linear networks."""
