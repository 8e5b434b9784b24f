"""The physics chain: from a signal point to the yields of a search, with programs that pip installs.

    points -> slha -> generation (Pythia, with filters) -> detector -> jets, tagging -> a paper's variables
           -> its region, a table of windows -> reduced events -> histogram, YAML, ROOT

All physical parameters are in `data/chain_parameters.yaml`, each with its public source or the reason for its
choice. They were fixed before the first comparison with a reference, and none was fitted to one. The chain
needs the packages of `make setup EXTRAS=collider`; other parts of the suite work without them.
"""
