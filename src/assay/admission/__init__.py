"""Results from strangers: bundles of recordings, their admission, and the ledger of what was decided."""
