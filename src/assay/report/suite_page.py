"""The page of a suite: the ranking of each set with its reasons, flags, figures, tables and checks."""

from __future__ import annotations

from typing import Any

from assay.build import links
from assay.report.front_page import flags
from assay.report.leaderboard import cost_picture, of_set, pairs
from assay.report.reasons import reasons
from assay.report.results import SHOWN_ROWS, OwnTable, Results, SuiteResults

PARTS = 6
"""Largest number of metrics beside the score in the ranking of a set."""


def values(results: Results, suite: SuiteResults) -> dict[str, Any]:
    """The values of the template `suite.html`."""
    return {
        "title": suite.name,
        "suite": suite.name,
        "about": suite.room.ABOUT,
        "paper": suite.paper,
        "rubric": suite.rubric,
        "agents": [
            {
                "agent": agent,
                "kind": suite.kind(agent) or results.kinds[agent],
                "episodes": len(suite.ranks.get(agent, ())),
                "page": links.agent_page(agent),
                "list": links.episode_list(suite.name, agent),
            }
            for agent in suite.agents
        ],
        "sets": [_set(suite, name, doc) for name, doc in suite.sets.items()],
        "figures": [
            {
                "name": figure.name,
                "title": figure.title,
                "alt": figure.alt,
                "file": links.figure(suite.name, figure.name),
                "files": links.figure_data(suite.name, figure.name),
            }
            for figure in suite.figures
        ],
        "tables": [_table(suite, table) for table in suite.own],
        "common": [
            {"name": name, "files": links.table_data(suite.name, name)} for name in links.COMMON_TABLES
        ],
        "checks": suite.validation,
        "flags": flags(suite),
        "metrics": suite.metrics,
        "croissant": links.croissant(suite.name),
        "shown_rows": SHOWN_ROWS,
    }


def _set(suite: SuiteResults, name: str, doc: str) -> dict[str, Any]:
    rows = of_set(suite, name)
    parts = [
        metric
        for metric, spec in suite.metrics.items()
        if not spec.headline
        and metric not in ("solved", "calls")
        and spec.direction != "neither"
        and any(metric in suite.means.get((name, row["agent"]), {}) for row in rows)
    ][:PARTS]
    for row in rows:
        means = suite.means.get((name, row["agent"]), {}) if row["kind"] != "quoted" else {}
        row["parts"] = [means.get(metric) for metric in parts]
    return {
        "name": name,
        "doc": doc,
        "gameable": suite.can_be_gamed(name),
        "tasks": sum(task["task_set"] == name for task in suite.tasks),
        "rows": rows,
        "parts": [(metric, suite.metrics[metric]) for metric in parts],
        "why": reasons(suite, name),
        "pairs": pairs(suite, name),
        "costs": cost_picture(suite, name),
    }


def _table(suite: SuiteResults, table: OwnTable) -> dict[str, Any]:
    return {
        "name": table.name,
        "doc": table.doc,
        "columns": [(name, table.words[name], name in table.numeric) for name in table.columns],
        "rows": [[row[name] for name in table.columns] for row in table.rows[:SHOWN_ROWS]],
        "total": table.total,
        "files": links.table_data(suite.name, table.name),
    }
