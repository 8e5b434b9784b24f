"""Who opens, records and executes episodes again."""
