"""Scene templates, a file for each type of image."""
