"""What the suite's tables read of the common ones: runs with their records, and measures of swept worlds."""

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
from assay.tables import tabulation

LN_10 = 2.302585092994046


def log_impact(impact: float) -> float:
    """The decimal logarithm of an IMPACT that is counted as 1 at least."""
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
    """Every episode with a record, in the order of the table."""
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
    """The runs over which statistics of several agents are taken, in the order of the table.

    Neither an agent of known conduct nor one that was told the truth is among them: the first plays to show
    what the audit sees, the second what the truth is worth, and either would decide a correlation.
    """
    kinds = tables["kinds"]
    return [run for run in runs(tables) if not run.privileged and kinds[run.agent] != "scripted"]


def grouped(of: Sequence[Run]) -> Iterator[tuple[tuple[str, str], list[Run]]]:
    """Runs by set and agent, ascending."""
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in of:
        groups.setdefault((run.task_set, run.agent), []).append(run)
    yield from sorted(groups.items())


def by_set(of: Sequence[Run]) -> dict[str, list[Run]]:
    """Runs by set, in their order."""
    groups: dict[str, list[Run]] = {}
    for run in of:
        groups.setdefault(run.task_set, []).append(run)
    return groups


class Sweep:
    """The measures of one set's worlds: `values("impact", "baseline")` by task, NaN where not measured."""

    def __init__(self, task_set: str, measures: Mapping[str, Mapping[str, float]], tasks: Sequence[str]):
        self.task_set = task_set
        self.tasks = list(tasks)
        self._measures = measures

    @property
    def runs(self) -> list[str]:
        """Who played, in which world."""
        return sorted(name.partition(":")[2] for name in self._measures if name.startswith("impact:"))

    def values(self, measure: str, run: str = "") -> list[float]:
        """A measure of every task, in their order; NaN where it does not apply."""
        values = self._measures.get(f"{measure}:{run}" if run else measure, {})
        return [values.get(task, math.nan) for task in self.tasks]

    def has(self, measure: str, run: str) -> bool:
        return f"{measure}:{run}" in self._measures


def sweeps(tables: Tables) -> list[Sweep]:
    """The sets with calibrated tasks, by name; those with a shorter horizon than the paper's are left out."""
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
    """The mean without NaN; None of nothing."""
    return tabulation.mean([value for value in values if not math.isnan(value)])


def median(values: Sequence[float]) -> float | None:
    """The median without NaN; None of nothing."""
    return tabulation.median([value for value in values if not math.isnan(value)])


def geometric_mean(values: Sequence[float]) -> float | None:
    """The mean on a logarithmic scale, each value counted as 1 at least."""
    logs = mean([log(max(1.0, value)) for value in values])
    return None if logs is None else exp(logs)


def interval(values: Sequence[float], *names: str) -> tuple[float | None, float | None]:
    """A bootstrap interval of the mean; None of fewer than two values. `names` name its random stream."""
    kept = [value for value in values if not math.isnan(value)]
    if len(kept) < 2:
        return None, None
    return bootstrap_interval(kept, rng.stream(0, "pilab", "interval", *names))


def frame(rows: Sequence[tuple[Any, ...]], schema: Any) -> pd.DataFrame:
    """Rows as a data frame in the schema's types, in the order of its key."""
    return tabulation.frame(rows, schema).sort_values(list(schema.key), ignore_index=True)
