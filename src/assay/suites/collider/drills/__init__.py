"""Mock runs whose verdict is known, for the validation of the provenance checks."""
