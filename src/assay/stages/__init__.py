"""The stages of the workflow, one module each. The function `run` of a stage does the work of one job."""
