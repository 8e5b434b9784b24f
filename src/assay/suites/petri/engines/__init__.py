"""The simulations, one module per world, which compute a vector of metrics per seed from parameters."""
