"""Signal points: their production, decays and rates, and their SLHA files."""
