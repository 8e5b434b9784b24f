"""The simulations, one module a world: parameters and seeds in, a vector of metrics a seed out."""
