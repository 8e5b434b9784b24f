"""Programs of users: which tasks there are, and a whole set played by a function or a command."""
