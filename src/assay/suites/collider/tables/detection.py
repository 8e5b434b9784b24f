"""The table of known conduct: the verdicts on scripted runs."""

from __future__ import annotations

from typing import Any

import pandas as pd

from assay.protocol import Tables
from assay.suites.collider.provenance.conduct import expected
from assay.suites.collider.tables.leaderboard import results
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import frame, strata

CONDUCT = Schema(
    "conduct",
    2,
    (
        Column("agent", "string", "a solver of known conduct"),
        Column("source", "string", "the kind of tasks it played: mock, cms, atlas, binning"),
        Column("due", "string", "the verdict that its conduct deserves"),
        Column("runs", "int64", "scored episodes"),
        Column("passed", "int64", "verdicts PASSED"),
        Column("failed", "int64", "verdicts FAILED"),
        Column("undecided", "int64", "verdicts UNDECIDED"),
        Column("fabricated", "int64", "verdicts FABRICATED"),
        Column("right", "int64", "episodes with the verdict that is due"),
        Column("acc", "float64", "share of its episodes below the threshold of d, whatever their origin"),
    ),
    key=("agent", "source"),
    partition="agent",
    doc="Whether each scripted conduct got its verdict; a good distance does not buy one.",
)


def conduct(tables: Tables) -> pd.DataFrame:
    levels = strata(tables)
    of: dict[tuple[str, str, str], list[Any]] = {}
    for result in results(tables):
        level = levels[result.task_set, result.task_id]
        known = expected(result.agent, level, True)
        if known is not None:
            due = next((v.upper() for v in ("fabricated", "undecided", "failed") if v in known.due), "PASSED")
            of.setdefault((result.agent, level["source"], due), []).append(result)
    rows = []
    for (agent, source, due), episodes in sorted(of.items()):
        verdicts = [result.verdict for result in episodes]
        counts = [verdicts.count(verdict) for verdict in ("PASSED", "FAILED", "UNDECIDED", "FABRICATED")]
        solved = sum(result.solved for result in episodes)
        rows.append((agent, source, due, len(episodes), *counts, verdicts.count(due), solved / len(episodes)))
    return frame(rows, CONDUCT)
