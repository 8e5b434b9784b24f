"""The schema of the table `tasks`, which holds every task with its public and hidden part."""

from assay.tables.schema import Column, Schema

TASKS = Schema(
    "tasks",
    1,
    (
        Column("suite", "string", "the suite"),
        Column("task_set", "string", "the set that the task belongs to"),
        Column("task_id", "string", "the task's name within its set"),
        Column("index", "int64", "its place in the set, counted from 0"),
        Column("seed", "int64", "the seed it is generated from"),
        Column("version", "int64", "the version of its generator"),
        Column("strata", "string", "every group-by of the tables, canonical JSON"),
        Column("public", "string", "what an agent may know, canonical JSON"),
        Column("hidden", "string", "the truth, canonical JSON"),
        Column("blobs", "string", "its contents by hash, canonical JSON"),
        Column("sha256", "string", "digest of the task's canonical JSON form"),
    ),
    key=("suite", "task_set", "task_id"),
    doc="One row a task.",
    group_rows=4_096,
)
