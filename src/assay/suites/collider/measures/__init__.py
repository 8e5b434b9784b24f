"""How good a submission is: validity, distances from the reference, uncertainties, the score card."""
