"""Values of further pages: comparisons by task, the ledger, and the meaning of each column."""
