"""The plan of a run: what there is to build, what jobs read, and what they are told."""
