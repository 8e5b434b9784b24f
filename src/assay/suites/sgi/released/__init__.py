"""Files released with the paper: read, checked, and played as a set that is given by a path."""
