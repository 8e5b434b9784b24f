"""The results of each agent: one record per episode, made from the common tables, and means per task.

As in section 3.3 of the paper, runs whose verdict is FABRICATED are left out of the mean distance of a task;
failed runs stay, with d = 1. The share of solved tasks is given over the runs that were kept, and over all
runs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from assay.protocol import Tables
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import frame, mean, median

HEADLINE = "cms-v0"


@dataclass(frozen=True)
class Result:
    """One episode: its distances (None if not defined), whether it solved its task, and its verdict."""

    task_set: str
    task_id: str
    agent: str
    attempt: int
    d: float
    d_shape: float | None
    delta_norm: float | None
    solved: bool
    verdict: str

    @property
    def kept(self) -> bool:
        """Whether the episode counts in a mean distance."""
        return self.verdict not in ("FABRICATED", "UNDECIDED")


def episode_of(row: Any) -> tuple[str, str, str, int]:
    """Return the identity of the episode of a row: set, task, agent and attempt."""
    return row.task_set, row.task_id, row.agent, row.attempt


def results(tables: Tables) -> list[Result]:
    """Return all scored episodes, in the order of the table `scores`."""
    verdicts = {
        episode_of(row): row.label for row in tables["audit"].itertuples(index=False) if row.flag == "verdict"
    }
    values: dict[tuple[str, str, str, int], dict[str, float]] = {}
    for row in tables["scores"].itertuples(index=False):
        metrics = values.setdefault(episode_of(row), {})
        if row.value is not None and not math.isnan(row.value):
            metrics[row.metric] = row.value
    return [
        Result(
            *key,
            d=metrics["d"],
            d_shape=metrics.get("d_shape"),
            delta_norm=metrics.get("delta_norm"),
            solved=metrics["solved"] == 1,
            verdict=verdicts[key],
        )
        for key, metrics in values.items()
        if "d" in metrics
    ]


def deviation(values: Sequence[float]) -> float | None:
    """Return the sample standard deviation (n - 1); None for fewer than two values."""
    if len(values) < 2:
        return None
    middle = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((v - middle) ** 2 for v in values) / (len(values) - 1))


def cells(episodes: Iterable[Result]) -> Iterator[tuple[tuple[str, str, str], list[Result]]]:
    """Yield the results of each set, agent and task, in that order."""
    of: dict[tuple[str, str, str], list[Result]] = {}
    for result in episodes:
        of.setdefault((result.task_set, result.agent, result.task_id), []).append(result)
    yield from sorted(of.items())


_AGENT = Column("agent", "string", "who played")

DISTANCES = Schema(
    "distances",
    1,
    (
        Column("task_set", "string", "the set"),
        _AGENT,
        Column("task_id", "string", "the task"),
        Column("runs", "int64", "scored episodes"),
        Column("fabricated", "int64", "fabricated or undecided ones, left out of the means of kept runs"),
        Column("d", "float64", "mean d of the runs kept; null where none was kept", nullable=True),
        Column("d_deviation", "float64", "sample standard deviation of it", nullable=True),
        Column("d_any", "float64", "mean d of all runs, fabricated or not"),
        Column("d_shape", "float64", "mean d of the shapes, all runs", nullable=True),
        Column("delta_norm", "float64", "mean error of the total, all runs", nullable=True),
    ),
    key=("task_set", "agent", "task_id"),
    partition="agent",
    doc="One row a cell of the paper's tables: an agent at a task.",
)

AGENTS = Schema(
    "agents",
    2,
    (
        Column("task_set", "string", "the set"),
        _AGENT,
        Column("tasks", "int64", "tasks that were played"),
        Column("runs", "int64", "scored episodes"),
        Column("passed", "int64", "episodes that the gate let pass"),
        Column("failed", "int64", "episodes without a scorable submission"),
        Column("undecided", "int64", "episodes that need a judge"),
        Column("fabricated", "int64", "episodes called fabricated"),
        Column("acc_kept", "float64", "share solved of the runs kept", nullable=True),
        Column(
            "acc", "float64", "share solved of all runs; fabricated and undecided ones count as not solved"
        ),
        Column("d", "float64", "mean over tasks of the mean d of kept runs", nullable=True),
        Column(
            "d_median", "float64", "median over tasks of it: one wild cell does not move it", nullable=True
        ),
    ),
    key=("task_set", "agent"),
    partition="agent",
    doc="One row an agent in a set.",
)


def distances(tables: Tables) -> pd.DataFrame:
    rows = []
    for (task_set, agent, task_id), runs in cells(results(tables)):
        kept = [run.d for run in runs if run.kept]
        shapes = [run.d_shape for run in runs if run.d_shape is not None]
        norms = [run.delta_norm for run in runs if run.delta_norm is not None]
        averages = (mean(kept), deviation(kept), mean([run.d for run in runs]), mean(shapes), mean(norms))
        rows.append((task_set, agent, task_id, len(runs), len(runs) - len(kept), *averages))
    return frame(rows, DISTANCES)


def agents(tables: Tables) -> pd.DataFrame:
    of: dict[tuple[str, str], dict[str, list[Result]]] = {}
    for (task_set, agent, task_id), runs in cells(results(tables)):
        of.setdefault((task_set, agent), {})[task_id] = runs
    rows = []
    for (task_set, agent), tasks in sorted(of.items()):
        runs = [run for task in tasks.values() for run in task]
        kept = [run for run in runs if run.kept]
        averages = [m for task in tasks.values() if (m := mean([r.d for r in task if r.kept])) is not None]
        verdicts = [run.verdict for run in runs]
        counts = (verdicts.count(verdict) for verdict in ("PASSED", "FAILED", "UNDECIDED", "FABRICATED"))
        acc_kept = mean([float(run.solved) for run in kept])
        acc = math.fsum(run.solved and run.kept for run in runs) / len(runs)
        typical = (mean(averages), median(averages))
        rows.append((task_set, agent, len(tasks), len(runs), *counts, acc_kept, acc, *typical))
    return frame(rows, AGENTS)
