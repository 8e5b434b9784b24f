"""Tables of agents: the leaderboard, the axes of conduct, and the correlation of each axis with IMPACT."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from assay.numbers.stats import wilson
from assay.protocol import Tables
from assay.suites.pilab.measures.axes import AXES, hires, spearman, spearman_interval
from assay.suites.pilab.tables.readings import (
    Run,
    frame,
    geometric_mean,
    grouped,
    interval,
    mean,
    median,
    pooled,
    runs,
)
from assay.suites.pilab.tables.schemas import SCHEMAS

LEADERBOARD = SCHEMAS["leaderboard"]
AXES_TABLE = SCHEMAS["axes"]
CORRELATIONS = SCHEMAS["correlations"]


def of_impact(impacts: Sequence[float], collapsed: float, *names: str) -> tuple[float | None, ...]:
    """Return the values of the columns on IMPACT that several tables share.

    Args:
        impacts: IMPACT of each run.
        collapsed: number of runs in which the lab collapsed.
        names: name the random stream of the bootstrap interval.

    Returns:
        The mean with its interval, the median, the geometric mean, and the share of collapsed runs with its
        interval.
    """
    middle = (median(impacts), geometric_mean(impacts))
    share = (collapsed / len(impacts), *wilson(collapsed, len(impacts)))
    return (mean(impacts), *interval(impacts, *names), *middle, *share)


SUMMARIES = (
    "months_survived", "publications", "top_pubs", "grants_won", "students_graduated", "h_index",
)  # fmt: skip
"""Entries of a record's summary that the leaderboard averages, in the order of its columns."""


def _missing(tables: Tables, task_set: str, group: Sequence[Run]) -> int:
    """Return how many runs of a set an agent lacks, for as many attempts as it has made."""
    tasks = int((tables["tasks"]["task_set"] == task_set).sum())
    return tasks * (1 + max(run.attempt for run in group)) - len(group)


def leaderboard(tables: Tables) -> Any:
    """Return the table `leaderboard`.

    A run that is missing counts as 0 in the mean that ranks, so that no agent gains by leaving out the worlds
    in which it would do badly. The mean of the runs that were played stands beside it.
    """
    rows = [
        (
            task_set,
            agent,
            group[0].privileged,
            len(group),
            (missing := _missing(tables, task_set, group)),
            math.fsum(run.impact for run in group) / (len(group) + missing),
            *of_impact([run.impact for run in group], sum(run.collapsed for run in group), task_set, agent),
            *(mean([float(run.record["summary"][key]) for run in group]) for key in SUMMARIES),
            mean([run.tokens for run in group if run.tokens is not None]),
        )
        for (task_set, agent), group in grouped(runs(tables))
    ]
    return frame(rows, LEADERBOARD)


def axes(tables: Tables) -> Any:
    rows = []
    for (task_set, agent), group in grouped(runs(tables)):
        for axis, compute in {**AXES, "hires": hires}.items():
            values = [float(value) for run in group if (value := compute(run.record)) is not None]
            rows.append((task_set, agent, axis, len(values), mean(values)))
    return frame(rows, AXES_TABLE)


PUBLISHED_AS = {"actions_per_month": "actions", "risk_calibration": "risk"}
"""Names of axes in the paper's figures, by our name, where the two differ."""


def correlations(tables: Tables) -> Any:
    from assay.suites.pilab.tables.quoted_runs import known_models, statistics

    quoted: dict[str, float] = {}
    models: dict[str, int] = {}
    for published in tables["published"]:
        quoted |= statistics(published)
        models |= known_models(published)
    means = {
        key: math.fsum(run.impact for run in group) / len(group) for key, group in grouped(pooled(tables))
    }
    pairs: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for row in axes(tables).itertuples(index=False):
        if (row.task_set, row.agent) in means:
            known = pairs.setdefault((row.task_set, row.axis), [])
            if not math.isnan(row.value):
                known.append((row.value, means[row.task_set, row.agent]))
    rows = []
    for (task_set, axis), known in pairs.items():
        ours = spearman([value for value, _ in known], [impact for _, impact in known])
        name = PUBLISHED_AS.get(axis, axis)
        theirs, n = quoted.get(f"spearman: {name}"), models.get(name, 0)
        rows.append(
            (
                *(task_set, axis, len(known), ours, *spearman_interval(ours, len(known))),
                *(theirs, n if theirs is not None else 0, *spearman_interval(theirs, n)),
            )
        )
    return frame(rows, CORRELATIONS)
