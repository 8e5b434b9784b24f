"""The page of the leaderboard, and the rows of the leaderboard prepared for any page.

All intervals of a set are drawn on the same scale, so that its rows can be compared by eye.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from markupsafe import Markup

from assay.build import links
from assay.numbers.frontier import SURE
from assay.report.pictures import Point, against_cost, interval
from assay.report.results import Results, SuiteResults, ranked
from assay.report.words import KINDS, number
from assay.tables.schemas.leaderboard import is_partial


def values(results: Results) -> dict[str, Any]:
    """The values of the template `leaderboard.html`."""
    rows = []
    for suite in results.suites.values():
        for task_set in suite.sets:
            rows += displayed(suite, [row for row in suite.standings if row["task_set"] == task_set])
    kinds = {row["kind"] for row in rows}
    return {
        "title": "Leaderboard",
        "files": links.table_data("", links.STANDINGS),
        "rows": rows,
        "kinds": {kind: words for kind, words in KINDS.items() if kind in kinds},
        "sets": [(suite.name, name) for suite in results.suites.values() for name in suite.sets],
        "pairs": [
            {"suite": suite.name, "set": name, "rows": compared}
            for suite in results.suites.values()
            for name in suite.sets
            if (compared := pairs(suite, name))
        ],
    }


def pairs(suite: SuiteResults, task_set: str) -> list[dict[str, Any]]:
    """The pairwise comparisons of agents in a set, sorted by corrected p value.

    Each row names the agent with the higher mean first.
    """
    compared = []
    for row in suite.pairs:
        if row["task_set"] == task_set:
            turned = row["margin"] < 0
            compared.append(
                {
                    **row,
                    "first": row["second"] if turned else row["first"],
                    "second": row["first"] if turned else row["second"],
                    "margin": abs(row["margin"]),
                    "low": -row["high"] if turned and row["high"] is not None else row["low"],
                    "high": -row["low"] if turned and row["low"] is not None else row["high"],
                    "better": row["worse"] if turned else row["better"],
                    "worse": row["better"] if turned else row["worse"],
                    "first_page": links.agent_page(row["second"] if turned else row["first"]),
                    "second_page": links.agent_page(row["first"] if turned else row["second"]),
                }
            )
    return sorted(compared, key=lambda row: (row["p_holm"], -row["margin"], row["first"], row["second"]))


def displayed(suite: SuiteResults, rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Prepare rows of one suite for a page, sorted by score.

    Returns:
        The rows with these additional keys: `picture` (the drawn interval), `partial` (whether the agent
        played only a part of the set), `gameable` (whether a shortcut scores well in the set), `digits` (the
        number of decimals of its score), `page` and `episode` (the addresses of its page and of its first
        episode, None for quoted rows).
    """
    prepared = []
    for row in ranked(rows):
        played = row["kind"] != "quoted"
        prepared.append(
            {
                **row,
                "picture": interval(
                    row["score"], row["low"], row["high"], scale(suite, row["task_set"]), _in_words(row)
                ),
                "partial": is_partial(row),
                "gameable": suite.can_be_gamed(row["task_set"]),
                "digits": digits(suite, row["task_set"]),
                "page": links.agent_page(row["agent"]) if played else None,
                "episode": suite.first_episode(row["agent"], row["task_set"]) if played else None,
            }
        )
    return prepared


def of_set(suite: SuiteResults, task_set: str, quoted: bool = True) -> list[dict[str, Any]]:
    """The rows of one set, prepared for a page. Quoted rows are left out if `quoted` is false."""
    rows = [row for row in suite.standings if row["task_set"] == task_set]
    return displayed(suite, [row for row in rows if quoted or row["kind"] != "quoted"])


def cost_picture(suite: SuiteResults, task_set: str) -> Markup | None:
    """The picture of score against cost of the ranked agents of a set; None for fewer than two agents."""
    rows = [row for row in suite.standings if row["task_set"] == task_set and row["frontier"] is not None]
    if len(rows) < 2:
        return None
    points = [
        Point(row["agent"], row[row["spent"]], row["score"], row["low"], row["high"], row["frontier"] >= SURE)
        for row in rows
        if row[row["spent"]] is not None
    ]
    return against_cost(points, scale(suite, task_set), rows[0]["spent"])


def scale(suite: SuiteResults, task_set: str) -> tuple[float, float]:
    """The lowest and highest score on the axis of the pictures of a set.

    If the score has no upper bound, the axis ends at the largest score or interval end in the set.
    """
    headline = next(metric for metric in suite.metrics.values() if metric.headline)
    low = headline.low if headline.low is not None else 0.0
    if headline.high is not None:
        return low, headline.high
    rows = [row for row in suite.standings if row["task_set"] == task_set]
    reached = [row[end] for row in rows for end in ("score", "high") if row[end] is not None]
    return low, max(reached, default=low + 1)


def digits(suite: SuiteResults, task_set: str) -> int:
    """The number of decimals of the scores of a set, chosen to resolve about a thousandth of its scale."""
    low, high = scale(suite, task_set)
    return 3 if high - low <= 2 else 1 if high - low <= 200 else 0


def _in_words(row: dict[str, Any]) -> str:
    """Describe the score and interval of a row, as alternative text of the picture."""
    if row["low"] is None:
        return f"{number(row['score'])}, no interval"
    return f"{number(row['score'])}, from {number(row['low'])} to {number(row['high'])}"
