"""Numbers that are the same on every machine: random streams, arithmetic, ranks, statistics."""
