"""Mutation testing of scoring, audit, digest and replay.

cosmic-ray 8.7 and mutmut 3.8 were considered in its place. cosmic-ray was tried on `assay.tables.digest`: it
starts pytest anew for every mutant, which took 7 seconds each where this tester forks a process that has
imported everything and takes 0.45, so that the 6,000 mutants of all modules would take half a day instead of
an hour. Of its first 76 mutants 36 survived, 33 of them in annotations such as `Path | str`, which are never
evaluated.
mutmut replaces functions by trampolines, which numba cannot compile, and leaves constants of modules alone.
"""
