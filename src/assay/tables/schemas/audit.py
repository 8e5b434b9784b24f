"""The schema of the table `audit`, which holds the decision on each integrity flag of each episode."""

from assay.tables.schema import Column, Schema

AUDIT = Schema(
    "audit",
    1,
    (
        Column("suite", "string", "the suite"),
        Column("task_set", "string", "the set that the task belongs to"),
        Column("task_id", "string", "the task's name within its set"),
        Column("agent", "string", "who played"),
        Column("attempt", "int64", "which attempt at the task, counted from 0"),
        Column("flag", "string", "the flag, declared in the suite's `FLAGS`"),
        Column("raised", "bool", "whether it was raised; null where it cannot be decided", nullable=True),
        Column("label", "string", "the finding in a word; empty: none"),
        Column("evidence", "string", "what it was decided from, canonical JSON"),
    ),
    key=("suite", "task_set", "task_id", "agent", "attempt", "flag"),
    partition="agent",
    doc="One row a flag of an episode.",
    group_rows=16_384,
)
