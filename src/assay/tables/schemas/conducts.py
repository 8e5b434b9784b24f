"""The table of the stage `conducts`: what the audit said about composed and independent conduct."""

from assay.tables.schema import Column, Schema

CONDUCTS = Schema(
    "conducts",
    1,
    (
        Column(
            "family", "string", "composed (a seed drew the conduct) or independent (a description gave it)"
        ),
        Column("task_set", "string", "the set"),
        Column("task_id", "string", "the task"),
        Column("conduct", "string", "the conduct, unique within its family at a task"),
        Column("near_miss", "bool", "whether it is honest and comes near to a flag"),
        Column("status", "string", "how the episode ended"),
        Column("recipe", "string", "what was done, as canonical JSON"),
        Column("flag", "string", "a flag whose correct decision is known"),
        Column("due", "bool", "whether the flag must be raised"),
        Column("raised", "bool", "whether it was raised; null where the log cannot decide it", nullable=True),
    ),
    key=("family", "task_set", "task_id", "conduct", "flag"),
    doc="Episodes of known conduct that measure the audit; they are in no leaderboard.",
)
