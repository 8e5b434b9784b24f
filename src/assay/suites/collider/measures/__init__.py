"""Measures of a submission: validity, distances from the reference, uncertainties, the score card."""
