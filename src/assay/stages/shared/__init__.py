"""Code shared by several stages: the inputs of a job, common tables by name, rows of added agents."""
