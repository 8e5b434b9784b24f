"""What people look at: the static site below `reports/`, opened from disk."""
