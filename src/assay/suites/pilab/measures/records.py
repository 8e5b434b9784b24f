"""The record of a run, from which scores and tables are computed.

A record holds values that an agent never sees (the hidden evaluation log of the published harness), so it is
the submission of an episode and is not shown to the agent. Numbers whose last digits depend on the C library
are rounded here.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from assay.suites.pilab.interface import views
from assay.suites.pilab.lab import papers
from assay.suites.pilab.lab.state import Lab

DIGITS = 6
"""Decimals to which IMPACT and reputation are rounded."""


def finished(lab: Lab) -> Lab:
    """Return a copy of the lab after its remaining months without decisions, or the lab if it is over."""
    if lab.over:
        return lab
    rest = copy.deepcopy(lab)
    while not rest.over:
        rest.close_month()
    return rest


def record(lab: Lab, played: int) -> dict[str, Any]:
    """Return the summary, monthly rows, decisions and hidden evaluation rows of a run that is over.

    Args:
        lab: the lab at the end of the run.
        played: the last month that the agent played.
    """
    summary = views.summary(lab)
    ranks = [_ranks(row) for row in lab.field.trajectory]
    published = {lab.drafts[paper.draft].project for paper in lab.publications.values()}
    return {
        "summary": {
            **{key: value for key, value in summary.items() if key != "seed"},
            "impact": round(papers.impact(lab), DIGITS),
            "projected": round(papers.impact(lab) - papers.citations(lab), DIGITS),
            "final_reputation": round(lab.reputation, DIGITS),
            "final_budget": round(lab.budget, 2),
            "collapse_month": lab.collapse_month,
            "months_played": played,
        },
        "months": [{key: row[key] for key in row if key != "standing"} for row in lab.rows],
        "actions": [[month, name] for month, name, _ in lab.actions],
        "interviewed_offers": _interviewed(lab),
        "mentoring": [[month, rows] for month, rows in lab.mentoring_rows],
        "projects": [
            row | p.context | {"topic_rank": ranks[p.started][p.topic], "produced_paper": p.id in published}
            for p, row in _with_rows(
                lab.projects, "id tier topic:topic_name status started ended feasible scooped"
            )
        ],
        "people": [
            row | dict(zip(("ability", "growth", "independence"), m.traits, strict=False))
            for m, row in _with_rows(lab.members, "id role arrived left status papers")
        ],
        "papers": [
            row | {"boom": round(_boom(lab, p.topic, p.published), 3)}
            for p, row in _with_rows(lab.publications, "id venue topic:topic_name tier published citations")
        ],
        "proposals": views.rows(lab.proposals.values(), "agency month:submitted status"),
    }


def _with_rows(items: Mapping[str, Any], columns: str) -> Iterator[tuple[Any, dict[str, Any]]]:
    return zip(items.values(), views.rows(items.values(), columns), strict=True)


def _boom(lab: Lab, topic: int, published: int) -> float:
    """The highest hotness of a topic from a paper's publication to the last month of the horizon."""
    months = range(min(published, lab.months), lab.months + 1)
    return max(lab.field.trajectory[t][topic] for t in months)


def _ranks(hot: tuple[float, ...]) -> list[int]:
    """The rank of each topic by hotness, 1 for the hottest."""
    order = sorted(range(len(hot)), key=lambda k: -hot[k])
    return [order.index(k) + 1 for k in range(len(hot))]


def _interviewed(lab: Lab) -> list[int]:
    """For each offer in order, whether its applicant had been interviewed before: 1 or 0."""
    seen: set[str] = set()
    interviewed = []
    for _, name, arguments in lab.actions:
        if name == "recruit.interview":
            ids = arguments["ids"]
            seen.update([ids] if isinstance(ids, str) else ids)
        elif name == "recruit.offer":
            interviewed.append(int(arguments["id"] in seen))
    return interviewed


def outcome(lab: Lab) -> dict[str, Any]:
    """The unrounded numbers of a run that the published program reports."""
    summary = views.summary(lab)
    return {
        "impact": papers.impact(lab),
        "budget": lab.budget,
        "reputation": lab.reputation,
        "collapse_month": lab.collapse_month,
        "month": lab.month,
        "citations": summary["citations"],
        "publications": summary["publications"],
        "top_publications": summary["top_pubs"],
        "awards": summary["grants_won"],
        "graduated": summary["students_graduated"],
        "quits": summary["students_quit"],
    }
