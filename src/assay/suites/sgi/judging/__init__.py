"""Judges of sgi: the questions of the paper in our own words, and what recorded opinions add up to."""
