"""The page of an agent: how it works, suite by suite, what it scored, what the audit says of it."""

from __future__ import annotations

from typing import Any

from assay.build import links
from assay.report.axes import AXES
from assay.report.pictures import profile
from assay.report.results import Results, SuiteResults
from assay.report.standings import KINDS, shown


def values(results: Results, agent: str) -> dict[str, Any]:
    """What the template needs."""
    suites = [suite for suite in results.suites.values() if agent in suite.agents]
    return {
        "title": agent,
        "agent": agent,
        "kind": results.kind(agent),
        "kind_words": KINDS[results.kind(agent)],
        "axes": AXES,
        "parts": [_part(results, suite, agent) for suite in suites],
    }


def _part(results: Results, suite: SuiteResults, agent: str) -> dict[str, Any]:
    rows = {
        row["axis"]: row for row in results.profile if (row["agent"], row["suite"]) == (agent, suite.name)
    }
    axes = [(side, rows[axis]) for axis, side in AXES.items()]
    found: dict[str, dict[str, Any]] = {}
    for one in suite.raised:
        if one.agent == agent:
            known = suite.detection.get(one.flag, {})
            entry = found.setdefault(
                one.flag,
                {
                    "flag": one.flag,
                    "doc": suite.flags[one.flag].doc,
                    "raised": 0,
                    "decided": 0,
                    "proof": None,
                    "sensitivity": known.get("sensitivity"),
                    "specificity": known.get("specificity"),
                },
            )
            entry["raised"] += one.raised
            entry["decided"] += one.decided
            entry["proof"] = entry["proof"] or one.proof
    played = [row for row in suite.standings if row["agent"] == agent and row["kind"] != "quoted"]
    return {
        "suite": suite.name,
        "about": suite.room.ABOUT,
        "page": links.suite_page(suite.name),
        "picture": profile([(side.name, row["value"], row["low"], row["high"]) for side, row in axes]),
        "axes": axes,
        "flags": sorted(found.values(), key=lambda entry: (-entry["raised"], entry["flag"])),
        "rows": shown(suite, played),
        "episodes": len(suite.ranks.get(agent, ())),
        "list": links.episode_list(suite.name, agent),
    }
