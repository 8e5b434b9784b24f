"""From an item and a reply to the metrics of its column: one module a family, profiles as arguments."""
