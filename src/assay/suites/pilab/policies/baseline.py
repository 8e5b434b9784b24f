"""The published rule-based policies: baseline, ambitious, hire-max and do-nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from assay.suites.pilab.interface.client import Client

RECENT = 40
"""Items of news that the baseline reads."""

FIXED = "reasoning"
AMBITIOUS_TARGET = 8


@dataclass(frozen=True)
class Baseline:
    """The baseline policy; its constants are those of the paper by default."""

    target: int = 4
    hires: int = 2
    interviews: bool = True
    tier: int = 2
    compute: float = 1500
    mentoring: float = 5
    proposal_hours: float = 25
    polish_hours: float = 8
    follow_news: bool = True
    hiring_runway: float = 18

    def __call__(self, client: Client) -> None:
        runway = client.runway()
        runway = 99 if runway is None else runway
        if client.month % 12 == 1:
            self._recruit(client, runway)
        members = client.members()
        if members:
            per = min(self.mentoring, 60 / len(members))
            client.attempt("students.set_mentoring", dict.fromkeys(members, per))
        self._start_projects(client, members)
        self._write(client)
        self._propose(client, runway)
        respond(client)

    def _topic(self, client: Client) -> str:
        return hot_guess(client) if self.follow_news else FIXED

    def _recruit(self, client: Client, runway: float) -> None:
        applicants = client.call("recruit.applicants")
        want = min(self.hires, max(0, self.target - len(client.members())))
        if runway < self.hiring_runway or want <= 0 or not applicants:
            return
        ranked = by_papers(applicants)
        if self.interviews:
            shortlist = [a["id"] for a in ranked[: 2 * want + 2]]
            client.attempt("recruit.interview", shortlist)
            now = {a["id"]: a for a in client.call("recruit.applicants")}
            ranked = sorted(
                (now[identifier] for identifier in shortlist if identifier in now), key=lambda a: -_score(a)
            )
        for applicant in ranked[: want + 1]:
            client.attempt("recruit.offer", applicant["id"])

    def _start_projects(self, client: Client, members: list[str]) -> None:
        idle = idle_members(client, members)
        if not idle:
            return
        topic = self._topic(client)
        for at in range(0, len(idle), 2):
            client.attempt("projects.start", topic, self.tier, idle[at : at + 2], self.compute)

    def _write(self, client: Client) -> None:
        if not client.open_drafts():
            return
        drafts = [d for d in client.call("papers.drafts") if d["status"] == "available"]
        rejected = rejections(client)
        for draft in drafts:
            identifier, salvage = draft["id"], draft["salvage"]
            if draft["polish_hours"] == 0 and not salvage:
                client.attempt("papers.polish", identifier, self.polish_hours)
            refused = rejected.get(identifier, set())
            ladder = ["W-SHOP"] if salvage else ["CLAR", "W-SHOP"]
            if draft["tier"] >= 2 and not refused and not salvage:
                ladder.insert(0, "NAIC")
            ladder = [venue for venue in ladder if venue not in refused] or ["W-SHOP"]
            if refused and draft["revisions"] == 0:
                client.attempt("papers.revise", identifier, self.polish_hours)
            submit_down(client, identifier, ladder)

    def _propose(self, client: Client, runway: float) -> None:
        calls = [call for call, agency in client.open_calls() if agency != "TIF" or runway <= 24]
        if not calls:
            return
        published = client.papers_out()
        topic = self._topic(client)
        on_topic = [paper for paper, about in published if about == topic][:4]
        evidence = on_topic or [paper for paper, _ in published][:4] or client.open_drafts()[:2]
        for call in calls:
            client.attempt("grants.propose", call, topic, self.proposal_hours, evidence)


def hot_guess(client: Client) -> str:
    """Return the topic with the most items in recent news; of several, the one mentioned first."""
    counts = Counter(client.recent_topics(RECENT))
    return max(counts, key=counts.__getitem__) if counts else FIXED


def by_papers(applicants: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return applicants by the sum of transcript and letter, the highest first."""
    return sorted(applicants, key=lambda a: -(a["transcript"] + a["letter"]))


def idle_members(client: Client, members: list[str]) -> list[str]:
    """Return the given members who are in no active project."""
    busy = client.busy()
    return [member for member in members if member not in busy]


def rejections(client: Client) -> dict[str, set[str]]:
    """Return the venues that rejected each draft."""
    venues: dict[str, set[str]] = {}
    for submission in client.call("papers.submissions"):
        if submission["status"] == "reject":
            venues.setdefault(submission["draft"], set()).add(submission["venue"])
    return venues


def submit_down(client: Client, draft: str, ladder: list[str]) -> None:
    """Submit to the first venue of a ladder that takes the draft."""
    for venue in ladder:
        if client.attempt("papers.submit", draft, venue):
            return


def respond(client: Client) -> None:
    """Support students, accept collaborations, and accept the rest while more than 20 hours are left."""
    for event, kind in client.open_events():
        if kind == "student_crisis":
            action = "support"
        elif kind == "collab_offer":
            action = "accept"
        else:
            action = "accept" if client.attention_left() > 20 else "decline"
        client.attempt("events.respond", event, action)


def _score(applicant: dict[str, Any]) -> float:
    if applicant["interview"] is None:
        return float(applicant["transcript"])
    return float(0.6 * applicant["interview"] + 0.25 * applicant["transcript"] + 0.15 * applicant["letter"])


def ambitious(client: Client) -> None:
    """Play a month of a big lab that has tier 3 projects on the hottest topic and applies for every grant."""
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
    """Play a month of a lab that hires all it can, buys much compute, and never writes a proposal."""
    if client.month % 12 == 1:
        for applicant in by_papers(client.call("recruit.applicants"))[:4]:
            if client.attempt("recruit.offer", applicant["id"]) is None:
                break
    idle = idle_members(client, client.members())[:3]
    if idle:
        client.attempt("projects.start", "reasoning", 2, idle, 3000)


def do_nothing(client: Client) -> None:
    """Play a month without any decision."""
