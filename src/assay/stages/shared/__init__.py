"""What several stages need: the inputs of a job, common tables by name, rows of added agents."""
