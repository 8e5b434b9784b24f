"""Reference models: one tested file each, a function of parameters and of picks (see `methods.bank`)."""
