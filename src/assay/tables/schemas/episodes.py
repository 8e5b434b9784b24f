"""The schemas of the tables `episodes`, `events` and `blobs`, which the stage `episodes` writes."""

from assay.tables.schema import Column, Schema

EPISODES = Schema(
    "episodes",
    1,
    (
        Column("suite", "string", "the suite"),
        Column("task_set", "string", "the set that the task belongs to"),
        Column("task_id", "string", "the task's name within its set"),
        Column("agent", "string", "who played"),
        Column("attempt", "int64", "which attempt at the task, counted from 0"),
        Column("status", "string", "how it ended, see `assay.protocol.Status`"),
        Column("reason", "string", "why it ended so, in words; empty where the status says all"),
        Column("submission", "string", "what is scored, canonical JSON; null: nothing", nullable=True),
        Column("counters", "string", "what was drawn from each limit, canonical JSON"),
        Column("n_events", "int64", "the number of events in its log"),
        Column("tokens_in", "int64", "tokens read; null for solvers", nullable=True),
        Column("tokens_out", "int64", "tokens written; null for solvers", nullable=True),
        Column("source", "string", "solver or recording"),
        Column("privileged", "bool", "whether the agent was told the truth"),
        Column("scaffold_sha256", "string", "the version of the loop around a model", nullable=True),
        Column("log_sha256", "string", "digest of the canonical text of all events"),
    ),
    key=("suite", "task_set", "task_id", "agent", "attempt"),
    partition="agent",
    doc="One row an episode.",
    group_rows=16_384,
)

EVENTS = Schema(
    "events",
    1,
    (
        Column("suite", "string", "the suite"),
        Column("task_set", "string", "the set that the task belongs to"),
        Column("task_id", "string", "the task's name within its set"),
        Column("agent", "string", "who played"),
        Column("attempt", "int64", "which attempt at the task, counted from 0"),
        Column("step", "int64", "the event's place in the episode, counted from 0"),
        Column("parent", "int64", "the step that it happened in; null at the agent's door", nullable=True),
        Column("kind", "string", "call, code, outside or file"),
        Column("tool", "string", "the tool that was called"),
        Column("arguments", "string", "what it was called with, canonical JSON"),
        Column("parts", "string", "what it gave back, canonical JSON; long text is a blob"),
        Column("ok", "bool", "whether the call was carried out"),
        Column("error", "string", "why it was not", nullable=True),
        Column("charged", "int64", "what was drawn from the tool's counter"),
        Column("ended", "string", "the status with which it ended the episode", nullable=True),
        Column("fresh", "bool", "whether the agent's context began anew"),
        Column("blobs", "string", "the hashes of the contents it shows, canonical JSON"),
    ),
    key=("suite", "task_set", "task_id", "agent", "attempt", "step"),
    partition="agent",
    doc="One row an event of an episode.",
    group_rows=8_192,
)

BLOBS = Schema(
    "blobs",
    1,
    (
        Column("sha256", "string", "digest of the bytes"),
        Column("media_type", "string", "what they are, e.g. image/png"),
        Column("size", "int64", "their number", unit="byte"),
        Column("data", "binary", "the bytes; null where they are too many to be kept here", nullable=True),
    ),
    key=("sha256",),
    doc="One row a distinct content that the events of a shard show.",
    group_rows=64,
)
