"""The formulas of the five columns under their profiles: pure functions of an item and a reply."""
