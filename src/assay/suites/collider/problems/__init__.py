"""What a task is made of: published points, hidden references, the brief and the task folder."""
