"""Tables over frozen and added agents, in which an added agent changes no row of another."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from assay.build.job import Job
from assay.tables.reader import read_rows
from assay.tables.schema import Schema
from assay.tables.writer import Rows, key_order, write_table


def write_beside_frozen(job: Job, rows: Rows, schema: Schema) -> None:
    """Write the output `table` of a job, with the rows of frozen agents as they are without the added ones.

    The input `frozen` is the same table over the frozen agents alone; it has no file where no agent was
    added, and then `rows` are written as they are. Otherwise its rows are kept, and of `rows` only those
    follow that name an added agent. Ranks, corrections and pooled statistics of frozen agents therefore do
    not depend on who else is configured.

    Args:
        job: its configuration lists the added agents as `added`.
        rows: the table over all agents.
        schema: of the table.
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
