"""Rows of the leaderboard as pages show them: with their interval as a picture, on one scale for each set."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from assay.build import links
from assay.report.pictures import interval
from assay.report.results import SuiteResults, ranked
from assay.report.words import number
from assay.tables.schemas.leaderboard import is_partial

KINDS = {
    "solver": "a reference algorithm",
    "privileged": "a reference algorithm that was told the truth: what can be reached; it leads nobody",
    "model": "a language model, recorded and replayed",
    "scripted": "a script: a conduct written to try the audit or a metric, or one in a model’s place",
    "quoted": "as the paper states it: other tasks, other runs",
}
"""What each kind of row is."""

KIND_NAMES = {"privileged": "ceiling"}
"""Kinds that pages call by another name than the tables."""


def shown(suite: SuiteResults, rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of one suite in order of score, each with `picture`, `page`, `episode` and `partial`."""
    found = []
    for row in ranked(rows):
        played = row["kind"] != "quoted"
        found.append(
            {
                **row,
                "picture": interval(
                    row["score"], row["low"], row["high"], scale(suite, row["task_set"]), said(row)
                ),
                "partial": is_partial(row),
                "digits": digits(suite, row["task_set"]),
                "page": links.agent_page(row["agent"]) if played else None,
                "episode": suite.first_episode(row["agent"], row["task_set"]) if played else None,
            }
        )
    return found


def of_set(suite: SuiteResults, task_set: str, quoted: bool = True) -> list[dict[str, Any]]:
    """The rows of one set."""
    rows = [row for row in suite.standings if row["task_set"] == task_set]
    return shown(suite, [row for row in rows if quoted or row["kind"] != "quoted"])


def scale(suite: SuiteResults, task_set: str) -> tuple[float, float]:
    """What the pictures of a set run over: the range of the score, or what was reached where that is open."""
    headline = next(metric for metric in suite.metrics.values() if metric.headline)
    low = headline.low if headline.low is not None else 0.0
    if headline.high is not None:
        return low, headline.high
    rows = [row for row in suite.standings if row["task_set"] == task_set]
    reached = [row[end] for row in rows for end in ("score", "high") if row[end] is not None]
    return low, max(reached, default=low + 1)


def digits(suite: SuiteResults, task_set: str) -> int:
    """Decimals with which the scores of a set are told: about a thousandth of what they run over."""
    low, high = scale(suite, task_set)
    return 3 if high - low <= 2 else 1 if high - low <= 200 else 0


def said(row: dict[str, Any]) -> str:
    """The picture of a row in words."""
    if row["low"] is None:
        return f"{number(row['score'])}, no interval"
    return f"{number(row['score'])}, from {number(row['low'])} to {number(row['high'])}"
