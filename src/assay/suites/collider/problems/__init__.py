"""The parts of a task: published points, hidden references, the brief, orders and the task folder."""
