"""The stages of the workflow, one module each: a job in, its tables out."""
