"""The page of an agent: for each suite its method profile, its scores and the flags of the audit."""

from __future__ import annotations

from typing import Any

from assay.build import links
from assay.report.axes import AXES
from assay.report.leaderboard import displayed
from assay.report.pictures import profile
from assay.report.results import Results, SuiteResults, counted
from assay.report.words import KINDS


def values(results: Results, agent: str) -> dict[str, Any]:
    """The values of the template `agent.html`."""
    suites = [suite for suite in results.suites.values() if agent in suite.agents]
    return {
        "title": agent,
        "agent": agent,
        "kind": results.kind(agent),
        "kind_words": KINDS[results.kind(agent)],
        "axes": AXES,
        "identity": results.identity.get(agent, {}),
        "parts": [_part(results, suite, agent) for suite in suites],
    }


def _part(results: Results, suite: SuiteResults, agent: str) -> dict[str, Any]:
    rows = {
        row["axis"]: row for row in results.profile if (row["agent"], row["suite"]) == (agent, suite.name)
    }
    axes = [(side, rows[axis]) for axis, side in AXES.items()]
    flags = [
        {"flag": flag, "doc": suite.flags[flag].doc, **count, **suite.detected(flag)}
        for flag, count in counted([e for e in suite.raised if e.agent == agent], by="flag").items()
    ]
    played = [row for row in suite.standings if row["agent"] == agent and row["kind"] != "quoted"]
    return {
        "suite": suite.name,
        "about": suite.room.ABOUT,
        "page": links.suite_page(suite.name),
        "picture": profile([(side.name, row["value"], row["low"], row["high"]) for side, row in axes]),
        "axes": axes,
        "flags": sorted(flags, key=lambda entry: (-entry["raised"], entry["flag"])),
        "rows": displayed(suite, played),
        "episodes": len(suite.ranks.get(agent, ())),
        "list": links.episode_list(suite.name, agent),
    }
