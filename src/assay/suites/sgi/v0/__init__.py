"""What is left of version 0, whose sets are archived: replies to its items, recorded conduct, checks."""
