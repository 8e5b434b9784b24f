"""Inputs of the suite's tables, read from the common tables: runs with their records, and swept worlds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from assay import canonical
from assay.numbers import rng
from assay.numbers.portable import exp, log
from assay.numbers.stats import bootstrap_interval
from assay.protocol import NEVER_SCORED, Tables
from assay.suites.pilab.audit import CONDUCT
from assay.tables import tabulation

LN_10 = 2.302585092994046


def log_impact(impact: float) -> float:
    """Return the decimal logarithm of IMPACT, where values below 1 count as 1."""
    return log(max(1.0, impact)) / LN_10


@dataclass(frozen=True)
class Run:
    """One scored episode and its record."""

    task_set: str
    task_id: str
    agent: str
    attempt: int
    privileged: bool
    tokens: float | None
    record: Mapping[str, Any]

    @property
    def impact(self) -> float:
        return float(self.record["summary"]["impact"])

    @property
    def collapsed(self) -> bool:
        return bool(self.record["summary"]["collapsed"])


def runs(tables: Tables) -> list[Run]:
    """Return every scored episode that has a record, in the order of the table `episodes`."""
    return [
        Run(
            row.task_set,
            row.task_id,
            row.agent,
            int(row.attempt),
            bool(row.privileged),
            _sum(row.tokens_in, row.tokens_out),
            canonical.loads(row.submission),
        )
        for row in tables["episodes"].itertuples(index=False)
        if row.status not in NEVER_SCORED and isinstance(row.submission, str)
    ]


def _sum(*counts: Any) -> float | None:
    return None if any(map(pd.isna, counts)) else float(sum(counts))


def pooled(tables: Tables) -> list[Run]:
    """Return the runs that enter statistics over several agents, in the order of the table.

    Agents of known conduct and privileged agents are left out. The former only test what the audit detects
    and the latter show what the hidden truth is worth, and either could dominate a correlation. A policy that
    must raise a flag, such as one that does nothing, is there for a test, whatever its role.
    """
    kinds = tables["kinds"]
    tests = {agent for agent, conduct in CONDUCT.items() if conduct.due}
    return [
        run
        for run in runs(tables)
        if not run.privileged and kinds[run.agent] != "scripted" and run.agent not in tests
    ]


def grouped(of: Sequence[Run]) -> Iterator[tuple[tuple[str, str], list[Run]]]:
    """Yield the runs of each pair of task set and agent, in ascending order of the pairs."""
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in of:
        groups.setdefault((run.task_set, run.agent), []).append(run)
    yield from sorted(groups.items())


def by_set(of: Sequence[Run]) -> dict[str, list[Run]]:
    """Return the runs of each task set, in the order given."""
    groups: dict[str, list[Run]] = {}
    for run in of:
        groups.setdefault(run.task_set, []).append(run)
    return groups


class Sweep:
    """The measures of one task set's worlds, e.g. the baseline's IMPACT: `values("impact", "baseline")`."""

    def __init__(self, task_set: str, measures: Mapping[str, Mapping[str, float]], tasks: Sequence[str]):
        self.task_set = task_set
        self.tasks = list(tasks)
        self._measures = measures

    @property
    def runs(self) -> list[str]:
        """Names of the policies and ablations that were run."""
        return sorted(name.partition(":")[2] for name in self._measures if name.startswith("impact:"))

    def values(self, measure: str, run: str = "") -> list[float]:
        """Return a measure of each task, in the order of `tasks`; NaN if it was not measured."""
        values = self._measures.get(f"{measure}:{run}" if run else measure, {})
        return [values.get(task, math.nan) for task in self.tasks]

    def has(self, measure: str, run: str) -> bool:
        return f"{measure}:{run}" in self._measures


def sweeps(tables: Tables) -> list[Sweep]:
    """Return the calibrated task sets by name, without those that have a shorter horizon than the paper's."""
    short = {
        row.task_set
        for row in tables["tasks"].itertuples(index=False)
        if "horizon" in canonical.loads(row.strata)
    }
    measures: dict[str, dict[str, dict[str, float]]] = {}
    tasks: dict[str, dict[str, None]] = {}
    rows = tables["calibration"]
    for task_set, task_id, measure, value in zip(
        rows["task_set"], rows["task_id"], rows["measure"], rows["value"], strict=True
    ):
        if task_set in short:
            continue
        tasks.setdefault(task_set, {})[task_id] = None
        if not pd.isna(value):
            measures.setdefault(task_set, {}).setdefault(measure, {})[task_id] = float(value)
    return [Sweep(name, values, sorted(tasks[name])) for name, values in sorted(measures.items())]


def mean(values: Sequence[float]) -> float | None:
    """Return the mean of the values that are not NaN, or `None` if there are none."""
    return tabulation.mean([value for value in values if not math.isnan(value)])


def median(values: Sequence[float]) -> float | None:
    """Return the median of the values that are not NaN, or `None` if there are none."""
    return tabulation.median([value for value in values if not math.isnan(value)])


def geometric_mean(values: Sequence[float]) -> float | None:
    """Return the geometric mean, where values below 1 count as 1; `None` if there are no values."""
    logs = mean([log(max(1.0, value)) for value in values])
    return None if logs is None else exp(logs)


def interval(values: Sequence[float], *names: str) -> tuple[float | None, float | None]:
    """Return a bootstrap interval of the mean of the values that are not NaN.

    Both ends are `None` for fewer than two values. `names` name the random stream of the bootstrap.
    """
    kept = [value for value in values if not math.isnan(value)]
    if len(kept) < 2:
        return None, None
    return bootstrap_interval(kept, rng.stream(0, "pilab", "interval", *names))


def frame(rows: Sequence[tuple[Any, ...]], schema: Any) -> pd.DataFrame:
    """Return rows as a data frame with the schema's types, sorted by its key."""
    return tabulation.frame(rows, schema).sort_values(list(schema.key), ignore_index=True)
