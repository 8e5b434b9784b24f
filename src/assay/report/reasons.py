"""Why the best agent of a set is ahead: the parts of a score, and the flags, that tell it from others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.report.results import Raised, SuiteResults, ranked
from assay.report.standings import digits

SMALLEST = 0.05
"""A gap below this part of a metric's range, or of the episodes, is not named."""

NAMED = 3
"""Gaps of a kind that are named at most."""


@dataclass(frozen=True)
class Gap:
    """A metric in which the best is ahead, or a flag that the others raise more often."""

    name: str
    doc: str
    best: float
    others: float
    size: float
    proof: str | None = None
    witness: str = ""


@dataclass(frozen=True)
class Reasons:
    """Of a set: who leads (and who does as well), who is behind, and what tells them apart."""

    task_set: str
    digits: int
    best: Mapping[str, Any]
    equal: Sequence[Mapping[str, Any]]
    behind: Sequence[Mapping[str, Any]]
    metrics: Sequence[Gap]
    flags: Sequence[Gap]
    episode: str | None


def reasons(suite: SuiteResults, task_set: str) -> Reasons | None:
    """What tells the best agent of a set from those with a lower score; null where there are none.

    A script whose conduct was written to try the audit leads nobody, but it may be behind.
    """
    rows = [
        row
        for row in ranked(suite.standings)
        if row["task_set"] == task_set and row["kind"] != "quoted" and row["score"] is not None
    ]
    if not rows or rows[0]["score"] == rows[-1]["score"]:
        return None
    best = next((row for row in rows if row["kind"] != "scripted"), rows[0])
    behind = [row for row in rows if row["score"] < best["score"]]
    names = [row["agent"] for row in behind]
    return Reasons(
        task_set,
        digits(suite, task_set),
        best,
        [
            row
            for row in rows
            if row["score"] == best["score"] and row is not best and row["kind"] != "scripted"
        ],
        behind,
        _metrics(suite, task_set, best["agent"], names),
        _flags([one for one in suite.raised if one.task_set == task_set], suite, best["agent"], names),
        suite.first_episode(best["agent"], task_set),
    )


def _metrics(suite: SuiteResults, task_set: str, best: str, others: Sequence[str]) -> list[Gap]:
    found = []
    mine = suite.means[task_set, best]
    for name, metric in suite.metrics.items():
        if metric.headline or name == "solved" or metric.direction == "neither" or name not in mine:
            continue
        if metric.low is None or metric.high is None:
            continue
        theirs = [means[name] for other in others if name in (means := suite.means[task_set, other])]
        if 2 * len(theirs) < len(others) or not theirs:
            continue
        mean = math.fsum(theirs) / len(theirs)
        size = (mine[name] - mean) / (metric.high - metric.low)
        size = size if metric.direction == "higher" else -size
        if size >= SMALLEST:
            found.append(Gap(name, metric.doc, mine[name], mean, size))
    return sorted(found, key=lambda gap: (-gap.size, gap.name))[:NAMED]


def _flags(raised: Sequence[Raised], suite: SuiteResults, best: str, others: Sequence[str]) -> list[Gap]:
    found = []
    for flag, spec in suite.flags.items():
        ours = [one for one in raised if one.flag == flag and one.agent == best]
        theirs = [one for one in raised if one.flag == flag and one.agent in others]
        mine, mean = _share(ours), _share(theirs)
        if mean is None or mean - (mine or 0.0) < SMALLEST:
            continue
        witness = max(theirs, key=lambda one: (one.raised, one.agent))
        found.append(
            Gap(flag, spec.doc, mine or 0.0, mean, mean - (mine or 0.0), witness.proof, witness.agent)
        )
    return sorted(found, key=lambda gap: (-gap.size, gap.name))[:NAMED]


def _share(found: Sequence[Raised]) -> float | None:
    decided = sum(one.decided for one in found)
    return sum(one.raised for one in found) / decided if decided else None
