"""What a model wrote, taken apart: every parser is total and near-linear in the length of its text."""
