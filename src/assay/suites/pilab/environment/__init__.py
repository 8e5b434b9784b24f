"""What surrounds a lab: the numbers of the published world, its research field and its random numbers."""
