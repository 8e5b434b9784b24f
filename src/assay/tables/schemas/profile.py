"""The schema of the table `profile`, which describes each agent's method along axes with logged evidence."""

from assay.tables.schema import Column, Schema

PROFILE = Schema(
    "profile",
    1,
    (
        Column("agent", "string", "who played"),
        Column("suite", "string", "the suite"),
        Column("axis", "string", "the side of its method, see `assay.report.axes`"),
        Column("evidence", "string", "what it rests on in this suite; empty where nothing is logged"),
        Column("n", "int64", "episodes with evidence"),
        Column("tasks", "int64", "tasks with evidence"),
        Column("value", "float64", "mean over tasks, 0 worst, 1 best; null: not measured", nullable=True),
        Column("low", "float64", "lower end of its interval", nullable=True),
        Column("high", "float64", "upper end of its interval", nullable=True),
        Column("method", "string", "how the interval was made; empty without one"),
    ),
    key=("agent", "suite", "axis"),
    partition="agent",
    doc="One row an axis of an agent in a suite.",
)
