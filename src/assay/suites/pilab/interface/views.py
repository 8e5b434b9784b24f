"""Views of the lab, which its interface returns: plain JSON values without hidden state.

A view lists the columns of its rows in the notation of `columns`, as do the tables for SQL (`database`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from assay.suites.pilab.environment.parameters import TOPICS
from assay.suites.pilab.interface.columns import Rows, maps
from assay.suites.pilab.lab import events as lab_events
from assay.suites.pilab.lab import funding, papers, people, recruiting
from assay.suites.pilab.lab.entities import GrantCall, Refused
from assay.suites.pilab.lab.state import Lab, standing


def rows(items: Iterable[Any], columns: str) -> Rows:
    """Return a map from column to value for each item; lists are copied, since the lab changes its own."""
    return maps(columns)(items)


def label(month: int) -> str:
    """Return the label of a month by year and month of the year, e.g. `Y1M1` for month 1."""
    return f"Y{(month - 1) // 12 + 1}M{(month - 1) % 12 + 1}"


def runway_months(lab: Lab) -> float | None:
    """Return the months until the money is used up at this rate, to one decimal; `None` if none is lost."""
    burn = lab.burn()
    return round(lab.budget / burn, 1) if burn > 0 else None


def attention(lab: Lab) -> dict[str, Any]:
    """Return this month's hours of attention: the pool, and the hours reserved, spent and left."""
    return {
        "pool": lab.pool(),
        "mentoring_reserved": lab.mentoring_total(),
        "oneoff_used": round(lab.oneoff, 1),
        "left": round(lab.attention_left(), 1),
    }


def dashboard(lab: Lab) -> dict[str, Any]:
    """Return an overview of the present state of the lab."""
    return {
        "month": lab.month,
        "label": label(lab.month),
        "months_total": lab.months,
        "budget": whole(lab, lab.budget),
        "est_monthly_burn": whole(lab, lab.burn()),
        "runway_months": runway_months(lab),
        "attention": {
            "base": lab.parameters.attention_budget,
            "oversight_tax": lab.oversight(),
            **attention(lab),
        },
        "staff": rows((m for m in lab.active() if not m.researcher), "id name role monthly_cost:dollars"),
        "lab_standing": standing(lab.reputation),
        "students": _students(lab),
        "active_projects": rows(
            lab.active_projects(), "id topic:topic_name tier progress_pct members monthly_compute:compute"
        ),
        "available_drafts": rows(
            (d for d in lab.drafts.values() if d.status == "available"),
            "id topic:topic_name tier created salvage collab polish_hours:polish revisions",
        ),
        "submissions_under_review": rows(
            (s for s in lab.submissions.values() if s.status == "under_review"),
            "id draft venue decision_expected_month:decision",
        ),
        "proposals_pending": rows(
            (p for p in lab.proposals.values() if p.status == "pending"),
            "id agency topic:topic_name decision_expected_month:decision",
        ),
        "active_awards": [
            {"id": a.id, "agency": a.agency, "monthly_income": whole(lab, a.monthly), "ends_month": a.end}
            for a in lab.running_awards()
        ],
        "pending_events": rows(lab_events.pending(lab), "id kind respond_by_month:expires details"),
        "venue_deadlines_this_month": _deadlines(lab),
        "open_grant_calls": [
            {**_call(lab, call), "last_month_to_apply": call.last} for call in funding.open_calls(lab)
        ],
        "notes": _notes(lab),
    }


def _students(lab: Lab) -> Rows:
    students = []
    for m in lab.researchers():
        history = people.reports(lab, m)
        _, quality, sentiment = history[-1] if history else (0, None, None)
        students.append(
            {
                "id": m.id,
                "name": m.name,
                "role": m.role,
                "months_in": lab.month - m.arrived,
                "stipend": m.dollars,
                "mentoring_hours": m.mentoring,
                "papers_accepted": m.papers,
                "last_report_quality": quality,
                "last_meeting_sentiment": sentiment,
                "contract_end": m.contract_end,
            }
        )
    return students


def _call(lab: Lab, call: GrantCall) -> dict[str, Any]:
    agency = lab.agencies[call.agency]
    return {
        "id": call.id,
        "agency": call.agency,
        "award": int(agency.award),
        "duration_months": agency.duration,
    }


def whole(lab: Lab, amount: float) -> int | None:
    """Return an amount in whole dollars, `None` if it is no number (as only `as-published` allows).

    The mode `mended` truncates; the published program rounds.
    """
    if not math.isfinite(amount):
        return None
    return round(amount) if lab.rules.published_views else int(amount)


def _deadlines(lab: Lab) -> list[str]:
    return [v.name for v in lab.venues.values() if v.deadlines and lab.month % 12 in v.deadlines]


def _notes(lab: Lab) -> list[str]:
    notes = {
        1: ["The season of recruiting is open: interviews and offers until the third month of the year."],
        2: ["The season of recruiting is open."],
        3: ["Last month of the season: open offers are answered when it ends."],
        7: ["Service duty takes hours this month."],
    }.get(lab.month % 12, [])
    deadlines = [f"Deadline of {name} this month." for name in _deadlines(lab)]
    price = [f"Compute costs {lab.field.price:g} times the usual price."] if lab.field.price != 1 else []
    return notes + deadlines + price


def _last(lab: Lab, items: list[Any], n: int) -> list[Any]:
    # The published program's slice returns all items for n = 0.
    return items[-n:] if n > 0 or lab.rules.published_views else []


def ledger(lab: Lab, n: int) -> Rows:
    return [
        {"month": month, "category": category, "amount": whole(lab, amount), "note": note}
        for month, category, amount, note in _last(lab, lab.ledger, n)
    ]


def applicants(lab: Lab) -> Rows:
    """Return the applicants who can still be hired this season."""
    columns = "id name pool transcript letter interview:interview_seen status"
    return rows(recruiting.listed(lab), columns)


def students(lab: Lab) -> Rows:
    """Return the present and former members of the lab, including staff."""
    return [
        {
            "id": m.id,
            "name": m.name,
            "role": m.role,
            "status": m.status,
            "arrived_month": m.arrived,
            "months_in": lab.month - m.arrived,
            "mentoring_hours": m.mentoring,
            "papers_accepted": m.papers,
            "first_author_accepted": m.first_author,
            "contract_end": m.contract_end,
        }
        for m in lab.members.values()
    ]


def reports(lab: Lab, member_id: str, n: int) -> Rows:
    """Return the last `n` monthly reports of one member."""
    if member_id not in lab.members:
        raise Refused(f"there is nobody with the id {member_id!r}")
    return [
        {"month": month, "report_quality": quality, "meeting_sentiment": sentiment}
        for month, quality, sentiment in _last(lab, people.reports(lab, lab.members[member_id]), n)
    ]


def projects(lab: Lab) -> Rows:
    columns = (
        "id topic:topic_name tier status progress_pct members monthly_compute:compute started_month:started "
        "draft"
    )
    return rows(lab.projects.values(), columns)


def drafts(lab: Lab) -> Rows:
    columns = (
        "id topic:topic_name tier status created_month:created authors polish_hours:polish revisions salvage "
        "collab"
    )
    return rows(lab.drafts.values(), columns)


def submissions(lab: Lab) -> Rows:
    columns = (
        "id draft venue status submitted_month:submitted decision_month:decided "
        "decision_expected_month:decision reviewer_scores:scores"
    )
    return rows(lab.submissions.values(), columns)


def publications(lab: Lab) -> Rows:
    columns = "id venue topic:topic_name tier published_month:published citations authors collab"
    return rows(lab.published(), columns)


def calls(lab: Lab) -> Rows:
    return [
        {
            **_call(lab, call),
            "open_month": call.opens,
            "last_month_to_apply": call.last,
            "decision_delay_months": lab.agencies[call.agency].delay,
        }
        for call in funding.open_calls(lab)
    ]


def proposals(lab: Lab) -> Rows:
    columns = "id call agency topic:topic_name status submitted_month:submitted decision_month:decision"
    return rows(lab.proposals.values(), columns)


def awards(lab: Lab) -> Rows:
    return [
        {
            "id": a.id,
            "agency": a.agency,
            "total": whole(lab, a.total),
            "monthly": whole(lab, a.monthly),
            "start_month": a.start,
            "end_month": a.end,
        }
        for a in lab.awards.values()
    ]


def news(lab: Lab, n: int) -> Rows:
    return [
        dict(zip(("month", "kind", "topic", "text"), item, strict=True)) for item in _last(lab, lab.news, n)
    ]


def preprints(lab: Lab, n_months: int) -> Rows:
    """Return the counts of preprints by month and topic in the last `n_months` months, including this one."""
    return [
        {"month": month, "topic": topic, "preprint_count": count}
        for month, topic, count in preprint_counts(lab, lab.month - n_months)
    ]


def preprint_counts(lab: Lab, after: int = 0) -> Iterator[tuple[int, str, int]]:
    """Yield month, topic and count of preprints for the months later than `after`."""
    for month, counts in lab.preprints:
        if month > after:
            for topic, count in zip(TOPICS, counts, strict=True):
                yield month, topic, count


def conference_report(lab: Lab) -> Rows:
    """Return the numbers of accepted papers by topic at the last conferences, in at most 32 rows."""
    names = ("month", "venue", "topic", "accepted_papers")
    return [dict(zip(names, row, strict=True)) for row in conference_counts(lab)[-32:]]


def conference_counts(lab: Lab) -> list[tuple[int, str, str, int]]:
    """Return month, venue, topic and number of accepted papers for all conferences so far."""
    return [
        (month, venue, topic, count)
        for month, venue, counts in lab.conferences
        for topic, count in zip(TOPICS, counts, strict=True)
    ]


def pending_events(lab: Lab) -> Rows:
    columns = "id kind arrived_month:month respond_by_month:expires details"
    return rows(lab_events.pending(lab), columns)


def summary(lab: Lab) -> dict[str, Any]:
    """Return the summary of the run so far, including IMPACT as it is scored."""
    published = lab.published()
    earned = papers.citations(lab)
    total = papers.impact(lab)
    counts = sorted((paper.citations for paper in published), reverse=True)
    return {
        "seed": lab.seed,
        "months_survived": lab.collapse_month or lab.month,
        "collapsed": lab.collapse_month is not None,
        "impact": round(total, 1),
        "citations": earned,
        "projected": round(total - earned, 1),
        "h_index": sum(count > rank for rank, count in enumerate(counts)),
        "publications": len(published),
        "top_pubs": sum(paper.venue == "NAIC" for paper in published),
        "grants_won": len(lab.awards),
        "grant_dollars": int(sum(award.total for award in lab.awards.values())),
        "students_graduated": sum(m.status == "graduated" for m in lab.members.values()),
        "students_quit": sum(m.status == "quit" for m in lab.members.values()),
        "final_budget": round(lab.budget, 2),
        "final_reputation": round(lab.reputation, 2),
    }
