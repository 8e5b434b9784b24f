"""The schema of the table `scores`, which holds the metrics of each episode."""

from assay.tables.schema import Column, Schema

SCORES = Schema(
    "scores",
    1,
    (
        Column("suite", "string", "the suite"),
        Column("task_set", "string", "the set that the task belongs to"),
        Column("task_id", "string", "the task's name within its set"),
        Column("agent", "string", "who played"),
        Column("attempt", "int64", "which attempt at the task, counted from 0"),
        Column("profile", "string", "the way of grading, where a suite has several"),
        Column("metric", "string", "the metric, declared in the suite's `METRICS`"),
        Column("step", "int64", "the step that it describes; null: the whole episode", nullable=True),
        Column("value", "float64", "its value; null where it does not apply", nullable=True),
        Column("label", "string", "its value in words; empty where it is a number"),
    ),
    key=("suite", "task_set", "task_id", "agent", "attempt", "profile", "metric", "step"),
    partition="agent",
    doc="One row a metric of an episode.",
)
