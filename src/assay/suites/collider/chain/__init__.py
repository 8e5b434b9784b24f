"""The physics chain: from a signal point to the yields of a search, with programs that pip installs.

    points -> slha -> generation (Pythia, with filters) -> detector -> jets, tagging -> a paper's variables
           -> its region, a table of windows -> reduced events -> histogram, YAML, ROOT

Every number that is no mathematics stands in `data/chain_parameters.yaml` with the public document it comes
from. They were frozen before the first comparison with a reference, and none was fitted to one. Needs the
packages of `make setup EXTRAS=collider`; nothing here is imported where they are missing.
"""
