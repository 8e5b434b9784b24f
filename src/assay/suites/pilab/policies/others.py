"""The other published policies: ambitious, hire-max without grants, do nothing."""

from __future__ import annotations

from assay.suites.pilab.desk import Desk
from assay.suites.pilab.policies.baseline import (
    by_papers,
    hot_guess,
    idle_members,
    rejections,
    submit_down,
)

AMBITIOUS_TARGET = 8


def ambitious(desk: Desk) -> None:
    """A big lab on the hottest topic, with the hardest projects and every grant."""
    topic = hot_guess(desk)
    if desk.month % 12 == 1:
        want = max(0, AMBITIOUS_TARGET - len(desk.members()))
        ranked = by_papers(desk.call("recruit.applicants"))
        desk.attempt("recruit.interview", [a["id"] for a in ranked[: want + 2]])
        for applicant in ranked[: want + 1]:
            desk.attempt("recruit.offer", applicant["id"])
    members = desk.members()
    if members:
        desk.attempt("students.set_mentoring", dict.fromkeys(members, 6))
    idle = idle_members(desk, members)
    for at in range(0, len(idle), 2):
        desk.attempt("projects.start", topic, 3, idle[at : at + 2], 2500)
    drafts = desk.open_drafts()
    rejected = rejections(desk) if drafts else {}
    for draft in drafts:
        desk.attempt("papers.polish", draft, 10)
        refused = rejected.get(draft, set())
        ladder = [venue for venue in ("NAIC", "CLAR", "W-SHOP") if venue not in refused]
        submit_down(desk, draft, ladder or ["W-SHOP"])
    evidence = [paper for paper, _ in desk.papers_out()][:4]
    for call, _ in desk.open_calls():
        desk.attempt("grants.propose", call, topic, 25, evidence)
    for event, kind in desk.open_events():
        action = "support" if kind == "student_crisis" else "accept"
        desk.attempt("events.respond", event, action)


def hire_max(desk: Desk) -> None:
    """Hires whom it can, computes a lot, and never asks for money."""
    if desk.month % 12 == 1:
        for applicant in by_papers(desk.call("recruit.applicants"))[:4]:
            if desk.attempt("recruit.offer", applicant["id"]) is None:
                break
    idle = idle_members(desk, desk.members())[:3]
    if idle:
        desk.attempt("projects.start", "reasoning", 2, idle, 3000)


def do_nothing(desk: Desk) -> None:
    """Lets the months go by."""
