"""The schema of the table `calibration`, which holds measures of the difficulty of each task."""

from assay.tables.schema import Column, Schema

CALIBRATION = Schema(
    "calibration",
    1,
    (
        Column("suite", "string", "the suite"),
        Column("task_set", "string", "the set that the task belongs to"),
        Column("task_id", "string", "the task's name within its set"),
        Column("measure", "string", "what was measured"),
        Column("value", "float64", "its value; null where it is a label or does not apply", nullable=True),
        Column("label", "string", "its value in words; empty where it is a number"),
    ),
    key=("suite", "task_set", "task_id", "measure"),
    doc="One row a measure of a task.",
)
