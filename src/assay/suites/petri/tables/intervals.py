"""Calibration of agents at tier L4: comparison of their stated intervals with the truth."""

from __future__ import annotations

from typing import Any

from assay.protocol import Tables
from assay.suites.petri.tables.leaderboard import AGENT, SCOPE, by_task
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import frame, mean

INTERVALS = Schema(
    "intervals",
    1,
    (
        SCOPE,
        AGENT,
        Column("episodes", "int64", "episodes with an answer"),
        Column("stated", "float64", "the probability that an interval is asked to have"),
        Column("covered", "float64", "share of the intervals that hold the middle of the bracket"),
        Column("length", "float64", "their mean length, as a share of the span"),
        Column("distance", "float64", "mean distance of the estimate from the bracket, the same"),
        Column("points", "float64", "mean points for the interval, of 30", unit="points"),
    ),
    key=("scope", "agent"),
    partition="agent",
    doc="Estimates of phase boundaries and their intervals: compare `covered` with `stated`.",
)

STATED = 0.9


def intervals(tables: Tables) -> Any:
    """Return the table `intervals`, which is empty if nobody played tier L4."""
    names = ("covered", "length", "distance", "interval")
    columns = [by_task(tables, name) for name in names]
    rows = []
    for agent, scope in sorted(columns[0], key=lambda key: key[::-1]):
        values = [[v for of_task in column[agent, scope].values() for v in of_task] for column in columns]
        rows.append((scope, agent, len(values[0]), STATED, *map(mean, values)))
    return frame(rows, INTERVALS)
