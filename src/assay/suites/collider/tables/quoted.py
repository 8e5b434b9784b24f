"""The paper's tables 2 to 4 in the form of the suite's own tables, so that they can be compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from assay import canonical
from assay.protocol import Tables
from assay.suites.collider.tables.leaderboard import HEADLINE, results
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import frame, mean


@dataclass(frozen=True)
class Cell:
    """One cell of the paper: an agent at a task; the numbers are None if all its runs were fabricated."""

    task: str
    agent: str
    d: float | None
    deviation: float | None
    d_shape: float | None
    shape_deviation: float | None


QUOTED = Schema(
    "quoted",
    1,
    (
        Column("task", "string", "the published task"),
        Column("agent", "string", "the paper's agent"),
        Column("d", "float64", "mean d of yields; null: all runs were called fabricated", nullable=True),
        Column("d_deviation", "float64", "standard deviation over runs; null of a single run", nullable=True),
        Column("d_shape", "float64", "mean d of shapes", nullable=True),
        Column("d_shape_deviation", "float64", "standard deviation over runs", nullable=True),
        Column("flat", "float64", "d of one event in every bin, for scale", nullable=True),
        Column(
            "d_reference",
            "float64",
            "the d that the reference's known errors alone would give",
            nullable=True,
        ),
        Column("suspect", "bool", "whether the reference itself is in doubt"),
    ),
    key=("task", "agent"),
    doc="The cells of the paper's tables 2 and 3, with what puts them into scale.",
)

COSTS = Schema(
    "costs",
    1,
    (
        Column("agent", "string", "the paper's agent"),
        Column("dollars", "float64", "mean list price of a task", unit="$"),
        Column("dollars_deviation", "float64", "standard deviation over tasks", unit="$"),
        Column("tokens", "float64", "mean billed tokens of a task, millions"),
        Column("hours", "float64", "mean run time of a task", unit="h"),
        Column("tasks_below", "int64", "tasks whose mean d lies below the threshold, of those with a mean"),
        Column("tasks", "int64", "tasks with a mean"),
        Column("frontier", "bool", "whether no cheaper agent has as many such tasks"),
    ),
    key=("agent",),
    doc="The paper's table 4 beside what its table 2 says about accuracy. Single runs are not published.",
)


def cells(published: Any) -> Iterator[Cell]:
    """Yield every cell of the paper's tables 2 and 3."""
    for task, row in published["yields"].items():
        for at, agent in enumerate(published["agents"]):
            d, shape = row[at], published["shapes"][task][at]
            yield Cell(task, agent, *_pair(d), *_pair(shape))


def _pair(cell: list[float] | None) -> tuple[float | None, float | None]:
    if cell is None:
        return None, None
    return float(cell[0]), float(cell[1]) if len(cell) > 1 else None


def quoted(tables: Tables) -> pd.DataFrame:
    """Return the table `quoted`; it has no rows if no paper is quoted."""
    names, floors, suspect = {}, {}, {}
    for row in tables["tasks"].itertuples(index=False):
        if row.task_set == HEADLINE:
            name = canonical.loads(row.public)["id"]
            names[row.task_id] = name
            suspect[name] = bool(canonical.loads(row.hidden)["suspect"])
    for row in tables["calibration"].itertuples(index=False):
        if row.task_set == HEADLINE and row.measure == "floor_reference":
            floors[names[row.task_id]] = row.value
    flat: dict[str, list[float]] = {}
    for result in results(tables):
        if result.task_set == HEADLINE and result.agent == "flat":
            flat.setdefault(names[result.task_id], []).append(result.d)
    rows = []
    for published in tables["published"]:
        for cell in cells(published):
            numbers = (cell.d, cell.deviation, cell.d_shape, cell.shape_deviation)
            scale = (mean(flat.get(cell.task, [])), floors.get(cell.task), suspect.get(cell.task, False))
            rows.append((cell.task, cell.agent, *numbers, *scale))
    return frame(sorted(rows, key=lambda row: row[:2]), QUOTED)


def costs(tables: Tables) -> pd.DataFrame:
    rows = []
    for published in tables["published"]:
        below: dict[str, list[bool]] = {}
        for cell in cells(published):
            if cell.d is not None:
                below.setdefault(cell.agent, []).append(cell.d < published["threshold"])
        spent = published["consumption"]
        for agent, consumption in spent.items():
            dollars, deviation = consumption["dollars"]
            solved = sum(below[agent])
            cheaper = [sum(below[a]) for a, f in spent.items() if f["dollars"][0] < dollars]
            numbers = (
                float(dollars),
                float(deviation),
                float(consumption["tokens"][0]),
                float(consumption["hours"][0]),
            )
            rows.append((agent, *numbers, solved, len(below[agent]), solved > max(cheaper, default=-1)))
    return frame(sorted(rows), COSTS)
