"""Signal points: what is produced and how it decays, its rate, and which tasks want it."""
