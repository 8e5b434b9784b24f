"""The table of inquiries: stages with and without the truth of earlier ones, and what was found per cost."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import pandas as pd

from assay.protocol import Tables
from assay.suites.sgi.families import INVESTIGATION
from assay.suites.sgi.investigation.stages import STAGES
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import final, frame, strata

WHOLE = "whole"
"""The row of all stages together."""

INQUIRIES = Schema(
    "inquiries",
    1,
    (
        Column("agent", "string", "who played"),
        Column("task_set", "string", "the inquiries"),
        Column("stage", "string", "read, propose, compute, bench, interpret; `whole` for all of them"),
        Column("n", "int64", "episodes"),
        Column("chained", "float64", "mean score of the stage, shown one's own earlier results"),
        Column("given", "float64", "the same, shown a reference's earlier results", nullable=True),
        Column("loss", "float64", "given less chained: what earlier errors cost", nullable=True),
        Column("cost", "float64", "money spent, in multiples of the reference's", nullable=True),
        Column("found_per_cost", "float64", "the anchored score over the cost", nullable=True),
    ),
    key=("agent", "task_set", "stage"),
    partition="agent",
    doc="One row an agent, a set and a stage. The first stage has no earlier results, and only the whole has "
    "a cost; nothing was found per cost where nothing was spent.",
)


def inquiries(tables: Tables) -> Any:
    """Compute the table `inquiries` from the final scores of all agents."""
    levels = strata(tables)
    found: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    names = ("raw", "cost", "found_per_cost", *(f"{arm}_{s}" for arm in ("chained", "given") for s in STAGES))
    for row in final(tables, *names):
        if levels[row.task_set, row.task_id]["family"] == INVESTIGATION and not pd.isna(row.value):
            found[row.agent, row.task_set][row.metric].append(float(row.value))

    def mean(values: list[float] | None) -> float | None:
        return math.fsum(values) / len(values) if values else None

    rows: list[tuple[Any, ...]] = []
    for (agent, task_set), own in sorted(found.items()):
        count = len(own.get("raw", ()))
        for stage in STAGES:
            chained, given = mean(own.get(f"chained_{stage}")), mean(own.get(f"given_{stage}"))
            loss = None if given is None or chained is None else given - chained
            rows.append((agent, task_set, stage, count, chained, given, loss, None, None))
        spent = [mean(own.get(name)) for name in ("cost", "found_per_cost")]
        rows.append((agent, task_set, WHOLE, count, mean(own.get("raw")), None, None, *spent))
    return frame(sorted(rows, key=lambda row: row[:3]), INQUIRIES)
