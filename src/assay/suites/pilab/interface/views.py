"""What the lab's interface shows: plain JSON values, without anything hidden."""

from __future__ import annotations

from typing import Any

from assay.suites.pilab.environment.parameters import AGENCIES, TOPICS, VENUES
from assay.suites.pilab.lab import events as lab_events
from assay.suites.pilab.lab import funding, papers, people, recruiting
from assay.suites.pilab.lab.entities import Event
from assay.suites.pilab.lab.state import Lab, standing

Rows = list[dict[str, Any]]


def label(month: int) -> str:
    """A month by year and month of the year, e.g. `Y1M1`."""
    return f"Y{(month - 1) // 12 + 1}M{(month - 1) % 12 + 1}"


def runway_months(lab: Lab) -> float | None:
    """Months until the money is gone at this rate, to one decimal; null where none is lost."""
    burn = lab.burn()
    return round(lab.budget / burn, 1) if burn > 0 else None


def attention(lab: Lab) -> dict[str, Any]:
    """Hours of this month: the pool, what is promised, spent and left."""
    return {
        "pool": lab.pool(),
        "mentoring_reserved": lab.mentoring_total(),
        "oneoff_used": round(lab.oneoff, 1),
        "left": round(lab.attention_left(), 1),
    }


def dashboard(lab: Lab) -> dict[str, Any]:
    """The state of the lab at a glance."""
    researchers = lab.researchers()
    return {
        "month": lab.month,
        "label": label(lab.month),
        "months_total": lab.months,
        "budget": _whole(lab.budget),
        "est_monthly_burn": _whole(lab.burn()),
        "runway_months": runway_months(lab),
        "attention": {
            "base": lab.parameters.attention_budget,
            "oversight_tax": lab.oversight(),
            **attention(lab),
        },
        "staff": [
            {"id": m.id, "name": m.name, "role": m.role, "monthly_cost": int(m.pay)}
            for m in lab.active()
            if not m.researcher
        ],
        "lab_standing": standing(lab.reputation),
        "students": [
            {
                "id": m.id,
                "name": m.name,
                "role": m.role,
                "months_in": lab.month - m.arrived,
                "stipend": int(m.pay),
                "mentoring_hours": m.mentoring,
                "papers_accepted": m.papers,
                "last_report_quality": reports[-1][1] if (reports := people.reports(lab, m)) else None,
                "last_meeting_sentiment": reports[-1][2] if reports else None,
                "contract_end": m.contract_end,
            }
            for m in researchers
        ],
        "active_projects": [
            {
                "id": p.id,
                "topic": TOPICS[p.topic],
                "tier": p.tier,
                "progress_pct": progress(p.progress, p.work),
                "members": list(p.members),
                "monthly_compute": p.compute,
            }
            for p in lab.active_projects()
        ],
        "available_drafts": [
            {
                "id": d.id,
                "topic": TOPICS[d.topic],
                "tier": d.tier,
                "created": d.created,
                "salvage": d.salvage,
                "collab": d.collab,
                "polish_hours": d.polish,
                "revisions": d.revisions,
            }
            for d in lab.drafts.values()
            if d.status == "available"
        ],
        "submissions_under_review": [
            {"id": s.id, "draft": s.draft, "venue": s.venue, "decision_expected_month": s.decision}
            for s in lab.submissions.values()
            if s.status == "under_review"
        ],
        "proposals_pending": [
            {
                "id": p.id,
                "agency": p.agency,
                "topic": TOPICS[p.topic],
                "decision_expected_month": p.decision,
            }
            for p in lab.proposals.values()
            if p.status == "pending"
        ],
        "active_awards": [
            {"id": a.id, "agency": a.agency, "monthly_income": int(a.monthly), "ends_month": a.end}
            for a in lab.running_awards()
        ],
        "pending_events": [
            {
                "id": e.id,
                "kind": e.kind,
                "respond_by_month": e.expires,
                "details": details(e),
            }
            for e in lab_events.pending(lab)
        ],
        "venue_deadlines_this_month": _deadlines(lab),
        "open_grant_calls": [
            {
                "id": c.id,
                "agency": c.agency,
                "award": int(AGENCIES[c.agency].award),
                "duration_months": AGENCIES[c.agency].duration,
                "last_month_to_apply": c.last,
            }
            for c in funding.open_calls(lab)
        ],
        "notes": _notes(lab),
    }


def progress(done: float, work: float) -> float:
    """Progress in percent, one decimal."""
    return round(100 * done / work, 1)


def details(event: Event) -> dict[str, Any]:
    """What an event says about itself."""
    return {key: value for key, value in event.details.items() if not key.startswith("deliver")}


def _whole(amount: float) -> int | None:
    return int(amount) if amount == amount else None


def _deadlines(lab: Lab) -> list[str]:
    return [v.name for v in VENUES.values() if v.deadlines and lab.month % 12 in v.deadlines]


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


def ledger(lab: Lab, n: int) -> Rows:
    """The last entries of the ledger."""
    return [
        {"month": month, "category": category, "amount": _whole(amount), "note": note}
        for month, category, amount, note in _last(lab.ledger, n)
    ]


def _last(items: list[Any], n: int) -> list[Any]:
    return items[-n:] if n > 0 else []


def applicants(lab: Lab) -> Rows:
    """Who can still be hired this season."""
    return [
        {
            "id": a.id,
            "name": a.name,
            "pool": a.pool,
            "transcript": a.transcript,
            "letter": a.letter,
            "interview": a.interview if a.interviewed else None,
            "status": a.status,
        }
        for a in recruiting.listed(lab)
    ]


def students(lab: Lab) -> Rows:
    """Everybody who is or was in the lab, staff included."""
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


def projects(lab: Lab) -> Rows:
    """All projects."""
    return [
        {
            "id": p.id,
            "topic": TOPICS[p.topic],
            "tier": p.tier,
            "status": p.status,
            "progress_pct": progress(p.progress, p.work),
            "members": list(p.members),
            "monthly_compute": p.compute,
            "started_month": p.started,
            "draft": p.draft,
        }
        for p in lab.projects.values()
    ]


def drafts(lab: Lab) -> Rows:
    """All drafts."""
    return [
        {
            "id": d.id,
            "topic": TOPICS[d.topic],
            "tier": d.tier,
            "status": d.status,
            "created_month": d.created,
            "authors": list(d.authors),
            "polish_hours": d.polish,
            "revisions": d.revisions,
            "salvage": d.salvage,
            "collab": d.collab,
        }
        for d in lab.drafts.values()
    ]


def submissions(lab: Lab) -> Rows:
    """All submissions."""
    return [
        {
            "id": s.id,
            "draft": s.draft,
            "venue": s.venue,
            "status": s.status,
            "submitted_month": s.submitted,
            "decision_month": None if s.status == "under_review" else s.decision,
            "decision_expected_month": s.decision,
            "reviewer_scores": s.scores,
        }
        for s in lab.submissions.values()
    ]


def publications(lab: Lab) -> Rows:
    """Papers that are out."""
    return [
        {
            "id": p.id,
            "venue": p.venue,
            "topic": TOPICS[p.topic],
            "tier": p.tier,
            "published_month": p.published,
            "citations": p.citations,
            "authors": list(p.authors),
            "collab": p.collab,
        }
        for p in lab.published()
    ]


def calls(lab: Lab) -> Rows:
    """Open calls for proposals."""
    return [
        {
            "id": c.id,
            "agency": c.agency,
            "award": int(AGENCIES[c.agency].award),
            "duration_months": AGENCIES[c.agency].duration,
            "open_month": c.opens,
            "last_month_to_apply": c.last,
            "decision_delay_months": AGENCIES[c.agency].delay,
        }
        for c in funding.open_calls(lab)
    ]


def proposals(lab: Lab) -> Rows:
    """All proposals."""
    return [
        {
            "id": p.id,
            "call": p.call,
            "agency": p.agency,
            "topic": TOPICS[p.topic],
            "status": p.status,
            "submitted_month": p.submitted,
            "decision_month": p.decision,
        }
        for p in lab.proposals.values()
    ]


def awards(lab: Lab) -> Rows:
    """All awards."""
    return [
        {
            "id": a.id,
            "agency": a.agency,
            "total": int(a.total),
            "monthly": int(a.monthly),
            "start_month": a.start,
            "end_month": a.end,
        }
        for a in lab.awards.values()
    ]


def news(lab: Lab, n: int) -> Rows:
    """The last items of news."""
    return [
        {"month": month, "kind": kind, "topic": topic, "text": text}
        for month, kind, topic, text in _last(lab.news, n)
    ]


def preprints(lab: Lab, n_months: int) -> Rows:
    """Counts of preprints by topic in the last months, this one included."""
    return [
        {"month": month, "topic": topic, "preprint_count": count}
        for month, counts in lab.preprints
        if month > lab.month - n_months
        for topic, count in zip(TOPICS, counts, strict=True)
    ]


def conference_report(lab: Lab) -> Rows:
    """Papers by topic at the last conferences: the last 32 rows."""
    rows = [
        {"month": month, "venue": venue, "topic": topic, "accepted_papers": count}
        for month, venue, counts in lab.conferences
        for topic, count in zip(TOPICS, counts, strict=True)
    ]
    return rows[-32:]


def pending_events(lab: Lab) -> Rows:
    """Events that wait for an answer."""
    return [
        {
            "id": e.id,
            "kind": e.kind,
            "arrived_month": e.month,
            "respond_by_month": e.expires,
            "details": details(e),
        }
        for e in lab_events.pending(lab)
    ]


def summary(lab: Lab) -> dict[str, Any]:
    """How the run has gone so far, as it is scored."""
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
