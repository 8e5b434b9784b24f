"""Tables that cover frozen and added agents, in which added agents do not change the rows of frozen ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from assay.build.job import Job
from assay.tables.reader import read_rows
from assay.tables.schema import Schema
from assay.tables.writer import Rows, key_order, write_table


def write_beside_frozen(job: Job, rows: Rows, schema: Schema) -> None:
    """Write the output `table` of a job, keeping the rows of frozen agents as they are without added agents.

    The input `frozen` is the same table computed from the frozen agents alone. If no agent was added, this
    input has no file, and `rows` are written unchanged. Otherwise all of its rows are kept, and those of
    `rows` that name an added agent are inserted. Ranks, corrections and pooled statistics of frozen agents
    therefore do not depend on which other agents are configured.

    Args:
        job: The job. Its configuration lists the added agents as `added`.
        rows: The rows of the table computed from all agents.
        schema: The schema of the table.
    """
    output = job.output("table")
    write_table(rows, output, schema)
    for path in job.parts("frozen"):
        kept, added = read_rows(path, schema), set(job.config["added"])
        keys = {_key(row, schema) for row in kept}
        kept += [
            row
            for row in read_rows(output, schema)
            if _names_one_of(added, row, schema) and _key(row, schema) not in keys
        ]
        write_table(sorted(kept, key=lambda row: key_order(_key(row, schema))), output, schema)


def _key(row: Mapping[str, Any], schema: Schema) -> tuple[Any, ...]:
    return tuple(row[name] for name in schema.key)


def _names_one_of(agents: Collection[str], row: Mapping[str, Any], schema: Schema) -> bool:
    return any(row[name] in agents for name in schema.agent_columns)
