"""The schema of the table `opinions`, which holds judges' opinions on episodes. No score depends on them."""

from assay.tables.schema import Column, Schema

OPINIONS = Schema(
    "opinions",
    1,
    (
        Column("suite", "string", "the suite"),
        Column("task_set", "string", "the set that the task belongs to"),
        Column("task_id", "string", "the task's name within its set"),
        Column("agent", "string", "who played, and is judged"),
        Column("attempt", "int64", "which attempt at the task, counted from 0"),
        Column("judge", "string", "who judges"),
        Column("role", "string", "what is judged, declared in the suite's `ROLES`"),
        Column(
            "status",
            "string",
            "given, or why there is no opinion, see `OpinionStatus`",
        ),
        Column("label", "string", "the finding in a word of the role; empty where no opinion was given"),
        Column("value", "float64", "its number, where the role asks for one", nullable=True),
        Column("reason", "string", "the judge's reason; empty where no opinion was given"),
        Column("question_sha256", "string", "digest of all that the judge is shown"),
        Column("tokens_in", "int64", "tokens read; null where nothing is recorded", nullable=True),
        Column("tokens_out", "int64", "tokens written; null where nothing is recorded", nullable=True),
    ),
    key=("suite", "task_set", "task_id", "agent", "attempt", "judge", "role"),
    partition="agent",
    doc="One row an episode that a judge is asked about.",
)
