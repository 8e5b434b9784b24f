"""Scores of pilab from the record of a run: counted again from its people, projects, papers and months.

What only the world knows is taken from the record as it stands (see `EXEMPT`).
"""

from __future__ import annotations

import math
from statistics import mean

from tests.rescoring.comparing import UNCOUNTED

EXEMPT = {
    "projected": "citations of papers in years to come follow from the field, which only the world has",
    "final_reputation": "follows from month after month of the world",
    "grant_dollars": "sizes of awards are drawn by the world and are not in the record",
    "months_played": "the record says it, and no event of the log tells another month",
}
"""Metrics that cannot be counted again without the world, and why."""

PUBLISHED_BASELINE = {101: 142.943421, 102: 64.046057, 103: 51.0, 104: 1129.573551, 105: 187.096362}
PUBLISHED_BASELINE |= {106: 244.029494, 107: 26.0, 108: 262.487886}
ONE_YEAR_BASELINE = {104: 12.9}
"""IMPACT of the published baseline: the bar of `solved`; that of one year of seed 104 is in docs/pilab.md.

With the six decimals that a record has, so that the baseline has not more than itself.
"""


def needs_events(task):
    return True


def rescore(task, episode, blob, given):
    """Value by (profile, metric, step) of one episode."""
    record = episode.submission
    summary, people, papers = record["summary"], record["people"], record["papers"]
    months, projects, proposals = record["months"], record["projects"], record["proposals"]
    last = len(months)
    out = [p for p in papers if p["published"] <= last]
    citations = sum(p["citations"] for p in papers)
    ranked = sorted((p["citations"] for p in papers), reverse=True)
    collapsed = months[-1]["budget"] < 0
    impact = citations + (0.0 if collapsed else summary["projected"])
    bars = PUBLISHED_BASELINE if task.public["months"] == 60 else ONE_YEAR_BASELINE
    bar = bars.get(task.hidden["lab_seed"])
    researchers = [p for p in people if p["role"] in ("phd", "postdoc")]
    students = [p for p in people if p["role"] == "phd"]
    won = [p for p in proposals if p["status"] == "funded"]
    calls = [event for event in episode.events if event.kind == "code"]
    blocks = [event for event in episode.events if event.kind == "outside" and event.tool == "run_code"]
    decisions = [name for _, name in record["actions"] if name != "time.next_month"]
    worked = sum(month["researchers"] for month in months)
    use = [month["attention_used"] / month["attention_pool"] for month in months]
    topics = [p["topic"] for p in projects]
    ventures = [p["tier"] for p in projects if p["runway_at_start"] > 18 and p["idle_at_start"] >= 2]
    others = [p["tier"] for p in projects if not (p["runway_at_start"] > 18 and p["idle_at_start"] >= 2)]
    mentoring = [mentored(rows) for _, rows in record["mentoring"]]
    mentoring = [pair for pair in mentoring if pair]
    values = {
        "score": impact,
        "log_score": math.log10(max(1.0, impact)),
        "collapsed": float(collapsed),
        "hires": len(people),
        "turns": sum(e.kind == "call" and e.tool == "run_code" and e.ok for e in episode.events),
        "calls_of_the_lab": len(calls),
        "failed_blocks": mean([not e.ok or e.parts[0]["error"] is not None for e in blocks])
        if blocks
        else None,
        "refused_share": sum(not e.ok for e in calls) / len(calls) if calls else None,
        "citations": citations,
        "h_index": sum(count >= place for place, count in enumerate(ranked, 1)),
        "publications": len(out),
        "top_pubs": sum(p["venue"] == "NAIC" for p in out),
        "grants_won": len(won),
        "students_graduated": sum(p["status"] == "graduated" for p in students),
        "students_quit": sum(p["status"] == "quit" for p in people),
        "months_survived": last,
        "final_budget": months[-1]["budget"],
        "actions_per_month": len(decisions) / last,
        "conversion": 12 * len(out) / worked if worked else None,
        "interview_coverage": mean(record["interviewed_offers"]) if record["interviewed_offers"] else None,
        "hit_rate": len(won) / len(proposals) if proposals else None,
        "dollars_per_proposal": summary["grant_dollars"] / len(proposals) if proposals else None,
        "topic_rank": mean(p["topic_rank"] for p in projects) if projects else None,
        "concentration": sum((topics.count(t) / len(topics)) ** 2 for t in set(topics)) if topics else None,
        "mentoring_share": mean(share for share, _ in mentoring) if mentoring else None,
        "mentoring_excess": mean(share - chance for share, chance in mentoring) if mentoring else None,
        "risk_calibration": mean(ventures) - mean(others) if ventures and others else None,
        "anticipation": mean(p["future_hot"] - p["hot_at_start"] for p in projects) if projects else None,
        "attrition": mean(p["status"] == "quit" for p in students) if students else None,
        "hired_ability": mean(p["ability"] for p in researchers) if researchers else None,
        "utilization": mean(use),
        "at_the_ceiling": mean(share >= 0.98 for share in use),
        "boom_captured": max((p["boom"] for p in papers), default=None),
        "top_share": max(ranked) / citations if citations else None,
        "projection_share": 1 - citations / impact if impact else None,
        "dead_ends": sum(p["status"] == "deadend" for p in projects),
    }
    scores = {("default", metric, None): value for metric, value in values.items()}
    scores["default", "solved", None] = UNCOUNTED if bar is None else float(not collapsed and impact > bar)
    return scores


def mentored(rows):
    """The share of a month's hours that went to researchers of high return, and that of chance.

    A row is hours, ability, growth, independence, role. Null without two researchers and an hour.
    """
    total = sum(row[0] for row in rows)
    if len(rows) < 2 or total <= 0:
        return None
    returns = [growth * ability * (1 - independence) for _, ability, growth, independence, _ in rows]
    middle = sorted(returns)[len(returns) // 2]
    high = [row[0] for row, value in zip(rows, returns, strict=True) if value >= middle]
    return sum(high) / total, len(high) / len(rows)
