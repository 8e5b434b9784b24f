"""The schema of the table `summary`, with statistics of each agent's metrics in each stratum of tasks."""

from assay.tables.schema import Column, Schema

SUMMARY = Schema(
    "summary",
    1,
    (
        Column("suite", "string", "the suite"),
        Column("agent", "string", "who played"),
        Column("privileged", "bool", "whether the agent was told the truth"),
        Column("profile", "string", "the way of grading, where a suite has several"),
        Column("stratum", "string", "the group-by, e.g. tier; `all` for the whole"),
        Column("level", "string", "its value; `all` for the whole"),
        Column("metric", "string", "the metric, declared in the suite's `METRICS`"),
        Column("n", "int64", "episodes with a value"),
        Column("n_missing", "int64", "episodes without one"),
        Column("mean", "float64", "mean of the values; null without any", nullable=True),
        Column("sd", "float64", "their standard deviation; null below two", nullable=True),
        Column("low", "float64", "lower end of the mean's interval", nullable=True),
        Column("high", "float64", "upper end of the mean's interval", nullable=True),
        Column("method", "string", "how the interval was made; empty without one"),
        Column("note", "string", "what a reader must know, e.g. not recorded; empty: nothing"),
    ),
    key=("suite", "agent", "profile", "stratum", "level", "metric"),
    partition="agent",
    doc="One row a metric of an agent in a level of a stratum.",
)
