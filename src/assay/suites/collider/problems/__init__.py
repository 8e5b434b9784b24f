"""The parts of a task: published points, hidden references, the brief, samples and the task folder."""
