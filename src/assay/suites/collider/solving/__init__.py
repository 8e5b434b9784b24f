"""What solvers use: the client of the tools, the reference solver, its orders and analysis scripts."""
