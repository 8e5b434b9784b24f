"""The leaderboard: every agent in every set of every suite, and every two of them against each other."""

from __future__ import annotations

from typing import Any

from assay.build import links
from assay.report.results import Results, SuiteResults
from assay.report.standings import KINDS, shown


def values(results: Results) -> dict[str, Any]:
    """What the template needs."""
    rows = []
    for suite in results.suites.values():
        for task_set in suite.sets:
            rows += shown(suite, [row for row in suite.standings if row["task_set"] == task_set])
    kinds = {row["kind"] for row in rows}
    return {
        "title": "Leaderboard",
        "rows": rows,
        "kinds": {kind: words for kind, words in KINDS.items() if kind in kinds},
        "sets": [(suite.name, name) for suite in results.suites.values() for name in suite.sets],
        "pairs": [
            {"suite": suite.name, "set": name, "rows": found}
            for suite in results.suites.values()
            for name in suite.sets
            if (found := pairs(suite, name))
        ],
    }


def pairs(suite: SuiteResults, task_set: str) -> list[dict[str, Any]]:
    """Every two agents of a set, the better first, the clearest difference ahead."""
    found = []
    for row in suite.pairs:
        if row["task_set"] == task_set:
            turned = row["margin"] < 0
            found.append(
                {
                    **row,
                    "first": row["second"] if turned else row["first"],
                    "second": row["first"] if turned else row["second"],
                    "margin": abs(row["margin"]),
                    "better": row["worse"] if turned else row["better"],
                    "worse": row["better"] if turned else row["worse"],
                    "first_page": links.agent_page(row["second"] if turned else row["first"]),
                    "second_page": links.agent_page(row["first"] if turned else row["second"]),
                }
            )
    return sorted(found, key=lambda row: (row["p_holm"], -row["margin"], row["first"], row["second"]))
