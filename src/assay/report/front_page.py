"""The first page: did it reproduce, who is best at what, where do they fail and why, show me the episode."""

from __future__ import annotations

from typing import Any

from assay.build import links
from assay.report.reasons import is_ceiling, reasons
from assay.report.results import Results, SuiteResults
from assay.report.standings import of_set

LEADERS = 6
"""Agents of a suite that the first page shows."""

WORST = 6
"""Flags of a suite that the first page shows."""


def values(results: Results) -> dict[str, Any]:
    """What the template needs."""
    suites = results.suites.values()
    return {
        "title": "Overview",
        "cards": [_card(suite) for suite in suites],
        "totals": {
            "suites": len(results.suites),
            "agents": len(results.agents),
            "tasks": sum(len(suite.tasks) for suite in suites),
            "episodes": sum(len(ranks) for suite in suites for ranks in suite.ranks.values()),
            "flags": sum(one.raised for suite in suites for one in suite.raised),
        },
        "played": [
            {
                "agent": agent,
                "kind": results.kind(agent),
                "episodes": [
                    {
                        "suite": name,
                        "number": len(suite.ranks.get(agent, ())),
                        "page": links.episode_list(name, agent) if suite.ranks.get(agent) else None,
                    }
                    for name, suite in results.suites.items()
                ],
            }
            for agent in results.agents
        ],
    }


def _card(suite: SuiteResults) -> dict[str, Any]:
    sets = [name for name in suite.sets if any(row["task_set"] == name for row in suite.standings)]
    first = next((name for name in sets if not suite.task_set(name).smoke), None)
    rows = of_set(suite, first, quoted=False) if first else []
    leaders = [row for row in rows if row["kind"] not in ("scripted", "privileged")][:LEADERS]
    ceiling = next((row for row in rows if is_ceiling(row)), None)
    quoted = [row for row in of_set(suite, first) if _is_rival(suite, row)] if first else []
    return {
        "name": suite.name,
        "about": suite.room.ABOUT,
        "set": first,
        "other_sets": [name for name in sets if name != first],
        "rows": leaders,
        "ceiling": ceiling,
        "left": len(rows) - len(leaders) - (ceiling is not None),
        "quoted": quoted[:1],
        "unit": next(metric.unit for metric in suite.metrics.values() if metric.headline),
        "why": reasons(suite, first) if first else None,
        "flags": flags(suite)[:WORST],
        "page": links.suite_page(suite.name),
    }


def _is_rival(suite: SuiteResults, row: dict[str, Any]) -> bool:
    """Whether a row is quoted, and of an agent that does not play here: of a model."""
    return row["kind"] == "quoted" and row["agent"] not in suite.agents


def flags(suite: SuiteResults) -> list[dict[str, Any]]:
    """Every flag, those that were raised first, with who raised them and an episode of each."""
    found = []
    for flag, spec in suite.flags.items():
        raised = [one for one in suite.raised if one.flag == flag]
        by_agent: dict[str, dict[str, Any]] = {}
        for one in raised:
            entry = by_agent.setdefault(
                one.agent, {"agent": one.agent, "raised": 0, "decided": 0, "proof": None}
            )
            entry["raised"] += one.raised
            entry["decided"] += one.decided
            entry["proof"] = entry["proof"] or one.proof
        guilty = [entry for entry in by_agent.values() if entry["raised"]]
        known = suite.detection.get(flag, {})
        if spec.kind == "flag":
            found.append(
                {
                    "flag": flag,
                    "doc": spec.doc,
                    "raised": sum(entry["raised"] for entry in guilty),
                    "decided": sum(entry["decided"] for entry in by_agent.values()),
                    "agents": sorted(
                        guilty, key=lambda e: (-e["raised"] / e["decided"], -e["raised"], e["agent"])
                    ),
                    "sensitivity": known.get("sensitivity"),
                    "specificity": known.get("specificity"),
                }
            )
    return sorted(found, key=lambda row: not row["raised"])
