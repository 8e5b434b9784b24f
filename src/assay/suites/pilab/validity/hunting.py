"""A search for exploits: changes of a policy's months that gain without a paid cost.

A candidate is a sequence of simple moves, each made every month before or after the policy's own decisions,
such as "hire a manager before, dismiss staff after". All single moves and pairs are tried on worlds of their
own, and a beam search extends the best of them. What gains there is tested on other worlds, paired with the
policy alone. A gain is free if the moves cost neither dollars nor hours; a free gain is an exploit, or a
decision that the policy could make better, which somebody has to judge.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from assay.suites.pilab.environment.parameters import PUBLISHED
from assay.suites.pilab.interface.client import Client, LabClient
from assay.suites.pilab.lab import papers
from assay.suites.pilab.lab.state import Lab
from assay.suites.pilab.validity.exploits import NEARLY_DONE, Relay

Move = Callable[[Client], None]
Policy = Callable[[Client], None]

STAFF = ("ra", "manager")


def _staff(client: Client) -> list[str]:
    return [
        member["id"]
        for member in client.call("students.list")
        if member["status"] == "active" and member["role"] in STAFF
    ]


def _running(client: Client) -> list[dict[str, Any]]:
    return [project for project in client.call("projects.list") if project["status"] == "active"]


def hire_manager(client: Client) -> None:
    """Hire a manager."""
    client.attempt("recruit.hire_manager")


def hire_assistant(client: Client) -> None:
    """Hire an assistant."""
    client.attempt("recruit.hire_ra")


def dismiss_staff(client: Client) -> None:
    """Dismiss all staff."""
    for member in _staff(client):
        client.attempt("recruit.dismiss", member)


def accept_events(client: Client) -> None:
    """Accept every event."""
    for event, _ in client.open_events():
        client.attempt("events.respond", event, "accept")


def decline_events(client: Client) -> None:
    """Decline every event."""
    for event, _ in client.open_events():
        client.attempt("events.respond", event, "decline")


def offer_places(client: Client) -> None:
    """Offer a place to every applicant."""
    for applicant in client.call("recruit.applicants"):
        client.attempt("recruit.offer", applicant["id"])


def withdraw(client: Client) -> None:
    """Withdraw every submission that waits, so that it can be sent elsewhere."""
    for submission in client.call("papers.submissions"):
        if submission["status"] == "under_review":
            client.attempt("papers.withdraw", submission["id"])


def submit_top(client: Client) -> None:
    """Send every draft to the most visible venue."""
    for draft in client.open_drafts():
        client.attempt("papers.submit", draft, "NAIC")


def submit_journal(client: Client) -> None:
    """Send every draft to the journal."""
    for draft in client.open_drafts():
        client.attempt("papers.submit", draft, "JMR")


def polish_for_nothing(client: Client) -> None:
    """Polish and revise every draft for 0 hours."""
    for draft in client.open_drafts():
        client.attempt("papers.polish", draft, 0)
        client.attempt("papers.revise", draft, 0)


def share_authorship(client: Client) -> None:
    """Put everybody on the projects that are nearly done."""
    for project in _running(client):
        if project["progress_pct"] >= NEARLY_DONE:
            for member in client.members():
                client.attempt("projects.assign", project["id"], member)


def leave_projects(client: Client) -> None:
    """Take everybody but one off each project."""
    for project in _running(client):
        for member in project["members"][1:]:
            client.attempt("projects.unassign", project["id"], member)


def free_compute(client: Client) -> None:
    """Set the compute of all projects to nothing."""
    for project in _running(client):
        client.attempt("projects.set_compute", project["id"], 0)


def no_mentoring(client: Client) -> None:
    """Take all hours of mentoring back."""
    client.attempt("students.set_mentoring", dict.fromkeys(client.members(), 0))


def full_mentoring(client: Client) -> None:
    """Give all hours that are left to mentoring."""
    members = client.members()
    if members:
        present = {m["id"]: m["mentoring_hours"] for m in client.call("students.list")}
        more = max(0.0, client.attention_left() - 0.1) / len(members)
        client.attempt("students.set_mentoring", {m: min(40, present[m] + more) for m in members})


MOVES: Mapping[str, Move] = {
    move.__name__: move
    for move in (
        *(hire_manager, hire_assistant, dismiss_staff, accept_events, decline_events, offer_places, withdraw),
        *(submit_top, submit_journal, polish_for_nothing, share_authorship, leave_projects, free_compute),
        *(no_mentoring, full_mentoring),
    )
}
"""All moves by name."""

Candidate = tuple[tuple[str, str], ...]
"""Moves, each with its place: `before` or `after` the policy's own decisions."""

STEPS: Sequence[tuple[str, str]] = [(place, name) for place in ("before", "after") for name in MOVES]


class _Unaware(Relay):
    """Shows the policy the lab without staff, so that it plans as it does without the moves.

    `planned` is the runway before the moves of the month.
    """

    planned: float | None = None

    def call(self, method: str, *arguments: Any) -> Any:
        result = super().call(method, *arguments)
        if method == "students.list":
            return [member for member in result if member["role"] not in STAFF]
        return {**result, "staff": []} if method == "lab.dashboard" else result

    def runway(self) -> float | None:
        """For how many months the money lasts."""
        return self.planned


@dataclass(frozen=True)
class Outcome:
    """What a run brought, and what the moves of a candidate cost in it.

    Attributes:
        impact: the run's IMPACT.
        dollars: what the moves and the staff that they hired cost.
        hours: hours of attention that the moves took.
    """

    impact: float
    dollars: float
    hours: float

    @property
    def free(self) -> bool:
        """Whether the moves cost neither dollars nor hours."""
        return self.dollars <= 0 and self.hours <= 0


def play(policy: Callable[[], Policy], candidate: Candidate, seed: int, mode: str) -> Outcome:
    """Play one world with the moves of a candidate."""
    lab = Lab(seed, PUBLISHED, mode)
    client, month = LabClient(lab), policy()
    seen = _Unaware(client)
    hours, fees = 0.0, 0.0

    def make(place: str) -> None:
        nonlocal hours, fees
        for at, name in candidate:
            if at == place:
                spent, entries = lab.oneoff + lab.mentoring_total(), len(lab.ledger)
                MOVES[name](client)
                hours += max(0.0, lab.oneoff + lab.mentoring_total() - spent)
                # Pay of staff is counted at the end, whenever it falls due.
                fees -= math.fsum(amount for _, kind, amount, _ in lab.ledger[entries:] if kind != "stipend")

    while not lab.over:
        seen.planned = client.runway()
        make("before")
        month(seen if candidate else client)
        make("after")
        client.next_month()
    staff = {member.id for member in lab.members.values() if not member.researcher}
    pay = math.fsum(-amount for _, kind, amount, note in lab.ledger if kind == "stipend" and note in staff)
    return Outcome(papers.impact(lab), fees + pay, hours)


@dataclass
class Hunt:
    """A beam search in one mode.

    Attributes:
        policy: makes the policy that the moves are added to.
        mode: the mode of the game.
    """

    policy: Callable[[], Policy]
    mode: str
    _alone: dict[int, float] = field(default_factory=dict)

    def gains(self, candidate: Candidate, seeds: Sequence[int]) -> tuple[list[float], bool]:
        """Return what a candidate gains in each world, and whether it was free in all of them."""
        for seed in seeds:
            if seed not in self._alone:
                self._alone[seed] = play(self.policy, (), seed, self.mode).impact
        outcomes = [play(self.policy, candidate, seed, self.mode) for seed in seeds]
        differences = [outcome.impact - self._alone[s] for outcome, s in zip(outcomes, seeds, strict=True)]
        return differences, all(outcome.free for outcome in outcomes)

    def search(self, seeds: Sequence[int], width: int = 3) -> list[tuple[float, Candidate]]:
        """Return the free candidates that gained, the best first, with their mean gains.

        All single moves and all pairs are tried, because a move may pay only together with another (a manager
        who is hired must be dismissed). The best of them are extended by a third one.

        Args:
            seeds: the worlds of the search.
            width: number of candidates that are extended by a third move.
        """
        short = [*combinations(STEPS, 1), *combinations(STEPS, 2)]
        best = self._halved(short, seeds)
        beam = [candidate for _, candidate in best[:width]]
        best += self._halved([(*old, step) for old in beam for step in STEPS if step not in old], seeds)
        return sorted(best, key=lambda item: (-item[0], item[1]))

    def _halved(self, candidates: Sequence[Candidate], seeds: Sequence[int]) -> list[tuple[float, Candidate]]:
        """Return the best free candidates by successive halving, with their mean gains.

        All play a quarter of the worlds, the better half of them another quarter, and the best quarter the
        other half.
        """
        left, first = list(candidates), 0
        totals, free = dict.fromkeys(left, 0.0), dict.fromkeys(left, True)
        for cut in (len(seeds) // 4, len(seeds) // 2, len(seeds)):
            for candidate in left:
                differences, cheap = self.gains(candidate, seeds[first:cut])
                totals[candidate] += math.fsum(differences)
                free[candidate] &= cheap
            left.sort(key=lambda candidate: (-totals[candidate], candidate))
            left = [c for c in left if free[c]]
            left, first = left[: (len(left) + 1) // 2] if cut < len(seeds) else left, cut
        return [(totals[c] / len(seeds), c) for c in left if totals[c] > 0]
