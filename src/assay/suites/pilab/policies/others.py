"""The other published policies: ambitious, hire-max without grants, do nothing."""

from __future__ import annotations

from assay.suites.pilab.interface.client import Client
from assay.suites.pilab.policies.baseline import (
    by_papers,
    hot_guess,
    idle_members,
    rejections,
    submit_down,
)

AMBITIOUS_TARGET = 8


def ambitious(client: Client) -> None:
    """A big lab on the hottest topic, with the hardest projects and every grant."""
    topic = hot_guess(client)
    if client.month % 12 == 1:
        want = max(0, AMBITIOUS_TARGET - len(client.members()))
        ranked = by_papers(client.call("recruit.applicants"))
        client.attempt("recruit.interview", [a["id"] for a in ranked[: want + 2]])
        for applicant in ranked[: want + 1]:
            client.attempt("recruit.offer", applicant["id"])
    members = client.members()
    if members:
        client.attempt("students.set_mentoring", dict.fromkeys(members, 6))
    idle = idle_members(client, members)
    for at in range(0, len(idle), 2):
        client.attempt("projects.start", topic, 3, idle[at : at + 2], 2500)
    drafts = client.open_drafts()
    rejected = rejections(client) if drafts else {}
    for draft in drafts:
        client.attempt("papers.polish", draft, 10)
        refused = rejected.get(draft, set())
        ladder = [venue for venue in ("NAIC", "CLAR", "W-SHOP") if venue not in refused]
        submit_down(client, draft, ladder or ["W-SHOP"])
    evidence = [paper for paper, _ in client.papers_out()][:4]
    for call, _ in client.open_calls():
        client.attempt("grants.propose", call, topic, 25, evidence)
    for event, kind in client.open_events():
        action = "support" if kind == "student_crisis" else "accept"
        client.attempt("events.respond", event, action)


def hire_max(client: Client) -> None:
    """Hires whom it can, computes a lot, and never asks for money."""
    if client.month % 12 == 1:
        for applicant in by_papers(client.call("recruit.applicants"))[:4]:
            if client.attempt("recruit.offer", applicant["id"]) is None:
                break
    idle = idle_members(client, client.members())[:3]
    if idle:
        client.attempt("projects.start", "reasoning", 2, idle, 3000)


def do_nothing(client: Client) -> None:
    """Lets the months go by."""
