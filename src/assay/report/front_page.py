"""The first page: the best agents and the flags of each suite, and links to the verdict and all episodes."""

from __future__ import annotations

from typing import Any

from assay.build import links
from assay.report.leaderboard import of_set
from assay.report.reasons import is_ceiling, reasons
from assay.report.results import Results, SuiteResults, counted

LEADERS = 6
"""Largest number of agents listed for each suite on the first page."""

WORST = 6
"""Largest number of flags listed for each suite on the first page."""


def values(results: Results) -> dict[str, Any]:
    """The values of the template `index.html`."""
    suites = results.suites.values()
    return {
        "title": "Overview",
        "cards": [_card(suite) for suite in suites],
        "totals": {
            "suites": len(results.suites),
            "agents": len(results.agents),
            "tasks": sum(len(suite.tasks) for suite in suites),
            "episodes": sum(len(ranks) for suite in suites for ranks in suite.ranks.values()),
            "flags": sum(entry.raised for suite in suites for entry in suite.raised),
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
        "gameable": first is not None and suite.can_be_gamed(first),
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
    """Whether a row is quoted from a paper for an agent that is not part of this build, such as a model."""
    return row["kind"] == "quoted" and row["agent"] not in suite.agents


def flags(suite: SuiteResults) -> list[dict[str, Any]]:
    """Each flag with the agents on which it was raised and an example episode of each agent.

    Flags that were raised come first.
    """
    rows = []
    for flag, spec in suite.flags.items():
        if spec.kind != "flag":
            continue
        counts = counted([entry for entry in suite.raised if entry.flag == flag], by="agent")
        agents = [{"agent": agent, **count} for agent, count in counts.items() if count["raised"]]
        rows.append(
            {
                "flag": flag,
                "doc": spec.doc,
                "raised": sum(row["raised"] for row in agents),
                "decided": sum(count["decided"] for count in counts.values()),
                "agents": sorted(
                    agents, key=lambda row: (-row["raised"] / row["decided"], -row["raised"], row["agent"])
                ),
                **suite.detected(flag),
            }
        )
    return sorted(rows, key=lambda row: not row["raised"])
