"""The plan of a run: which files are built, and which inputs and parameters each job has."""
