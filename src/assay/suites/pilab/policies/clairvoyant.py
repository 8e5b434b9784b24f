"""The clairvoyant: the steward's plan by somebody who knows all that is hidden and all that will happen.

It reads the lab itself: the hotness of every month to come, the ability of applicants and whether they would
accept, which projects lead nowhere, the outcome of each review and of each panel before it submits. A search
over its constants by whole runs (`experiments.ceilings`) shows how much could be had in a world.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from assay.suites.pilab.environment.parameters import REPUTATION_START, TIERS, TOPIC_INDEX, TOPICS, VENUES
from assay.suites.pilab.interface.client import Client
from assay.suites.pilab.lab import funding, papers
from assay.suites.pilab.lab.entities import Draft, Publication
from assay.suites.pilab.lab.state import Lab
from assay.suites.pilab.policies.steward import Constants, Steward, _teams

MARGIN = 0.02
"""Least distance from a bar, since reputation may fall a little before the decision."""


@dataclass(frozen=True)
class Foresight(Constants):
    """The constants that the search changes, beside those of the steward.

    Attributes:
        ahead: months after its start from which on a project's topic counts.
        window: number of these months.
        patience: months that a draft may wait for a better outcome.
        tier: highest tier of projects.
        applicants: whether PhD students are hired.
    """

    ahead: int = 6
    window: int = 24
    patience: int = 6
    tier: int = 3
    applicants: bool = True


class Clairvoyant(Steward):
    """The policy; `lab` is read, and changed through the client alone."""

    def __init__(self, lab: Lab, constants: Foresight | None = None) -> None:
        super().__init__(constants=constants or Foresight())
        self.lab = lab

    def __call__(self, client: Client) -> None:
        super().__call__(client)
        # Hours that are left would be lost: they go to whoever profits most.
        people = self.lab.researchers()
        left = self.lab.attention_left() - 0.1
        if people and left > 1:
            hours = {m.id: min(8.0, m.mentoring + left / len(people)) for m in people}
            client.attempt("students.set_mentoring", {m: h for m, h in hours.items() if h > 0})

    # -- the field

    def _read_field(self, client: Client) -> None:
        """Value a topic by its mean hotness in the months in which papers about it would be cited."""
        c, lab = self.constants, self.lab
        assert isinstance(c, Foresight)
        first = min(lab.month + c.ahead, lab.months)
        # After the last month hotness stays as it is, and counts for the projection.
        months = range(first, first + c.window)
        for name, k in TOPIC_INDEX.items():
            hot = [lab.field.hot_at(min(month, lab.months))[k] for month in months]
            self.hot[name], self.crowd[name] = math.fsum(hot) / len(hot), 0.0

    # -- people

    def _recruit(self, client: Client, want: int) -> None:
        c, lab = self.constants, self.lab
        assert isinstance(c, Foresight)
        if not c.applicants:
            return
        fame = lab.reputation - REPUTATION_START
        coming = [
            a
            for a in lab.applicants.values()
            if a.season == lab.season()
            and a.status == "pending"
            and a.ability >= c.ability
            and lab.random.uniform(f"offer|{a.id}") < min(max(a.accept + a.accept_slope * fame, 0.05), 0.95)
        ]
        for applicant in sorted(coming, key=lambda a: -a.ability * a.speed)[:want]:
            client.attempt("recruit.offer", applicant.id)

    def _talent(self, client: Client, member: str) -> float:
        person = self.lab.members[member]
        return person.skill * person.ability

    # -- projects

    def _work(self, client: Client, members: list[dict[str, Any]]) -> None:
        c, lab = self.constants, self.lab
        assert isinstance(c, Foresight)
        here = {m["id"] for m in members}
        for project in list(lab.running):
            hopeless = not project.feasible and project.progress < 0.3 * project.work
            if not here & set(project.members) or hopeless:
                client.attempt("projects.kill", project.id)
        busy = {m for project in lab.running for m in project.members}
        idle = [m["id"] for m in members if m["id"] not in busy and m["role"] != "manager"]
        idle.sort(key=lambda m: -self._talent(client, m))
        left = lab.months - lab.month
        for team in _teams(idle, c.team) if idle and left > c.stop else []:
            luck = lab.random.uniform(f"feas|PJ{lab.counters['PJ'] + 1:03d}")
            feasible = [tier for tier, row in TIERS.items() if luck >= row[1] and tier <= c.tier]
            most = 3 if left > 26 else 2 if left > 16 else 1
            tier = max([tier for tier in feasible if tier <= most], default=1)
            topic = max(TOPICS, key=lambda name: self.hot[name])
            client.attempt("projects.start", topic, tier, team, c.least_compute)
        self._spend(client, client.call("projects.list") and self._running(client, here))

    def _running(self, client: Client, here: set[str]) -> list[dict[str, Any]]:
        rows = client.call("projects.list")
        return [p for p in rows if p["status"] == "active" and here & set(p["members"])]

    # -- papers

    def _write(self, client: Client, board: dict[str, Any]) -> None:
        lab = self.lab
        for draft in [d for d in lab.drafts.values() if d.status == "available"]:
            if draft.polish < 12 and not draft.salvage:
                hours = min(12 - draft.polish, lab.attention_left() - 1)
                if hours > 1:
                    client.attempt("papers.polish", draft.id, hours)
            if papers.rejected_by(lab, draft.id):
                client.attempt("papers.revise", draft.id, 10)
            venue = self._best_venue(draft)
            if venue is not None:
                client.attempt("papers.submit", draft.id, venue)

    def _best_venue(self, draft: Draft) -> str | None:
        """Return the venue that is worth most, if a later month is not worth more."""
        lab, c = self.lab, self.constants
        assert isinstance(c, Foresight)
        best, choice = 0.0, None
        for month in range(lab.month, min(lab.month + c.patience, lab.months) + 1):
            for venue in VENUES.values():
                if venue.deadlines and month % 12 not in venue.deadlines:
                    continue
                worth = self._worth(draft, venue.name, month)
                if worth > best:
                    best, choice = worth, venue.name if month == lab.month else None
        return choice

    def _worth(self, draft: Draft, name: str, month: int) -> float:
        """Return the citations, projected ones included, of a draft that is submitted in a month."""
        lab, venue, p = self.lab, self.lab.venues[name], self.lab.parameters
        decided = month + venue.delay
        out = papers.publication_month(venue, decided)
        if out > lab.months:
            return 0.0
        quality = draft.effective(p.quality_polish)
        score = quality + p.review_hot * (lab.field.hot_at(decided)[draft.topic] - 1)
        score += p.review_reputation * (lab.reputation - REPUTATION_START)
        score += lab.random.normal(f"review|{draft.id}|{name}|{month}", p.review_noise)
        if score < venue.bar + MARGIN:
            return 0.0
        strength = venue.visibility * math.exp(p.citation_quality * (quality - 5))
        halflife = p.citation_halflife_journal if venue.kind == "journal" else p.citation_halflife
        paper = Publication(
            "", draft.id, name, draft.topic, draft.tier, [], out, draft.collab, quality, strength, halflife
        )
        # Every fourth month: a sum of all rates for each choice would take most of the time.
        return math.fsum(
            papers.citation_rate(
                paper, at, lab.field.hot_at(min(at, lab.months))[draft.topic], lab.reputation, lab.alumni, p
            )
            for at in range(out, lab.months + papers.PROJECTED + 1, 4)
        )

    # -- money

    def _ask(self, client: Client) -> None:
        """Write each proposal that will be funded, with as few hours as it takes."""
        lab = self.lab
        if lab.months - lab.month < 8:
            return
        evidence = [paper.id for paper in lab.published()]
        out = {paper.draft for paper in lab.published()}
        evidence += [draft.id for draft in lab.drafts.values() if draft.id not in out]
        for call in sorted(funding.open_calls(lab), key=lambda call: -lab.agencies[call.agency].award):
            agency = lab.agencies[call.agency]
            noise = lab.random.normal(
                f"grantdec|PR{lab.counters['PR'] + 1:03d}", lab.parameters.proposal_noise
            )
            for hours in range(funding.LEAST_HOURS, math.floor(lab.attention_left()) + 1, 5):
                quality, k = max(
                    (funding.proposal_quality(lab, agency.name, k, hours, evidence[:50]), k)
                    for k in range(len(TOPICS))
                )
                if quality + noise >= agency.bar + MARGIN:
                    client.attempt("grants.propose", call.id, TOPICS[k], hours, evidence[:50])
                    break


def changed(constants: Foresight, stream: Any) -> Foresight:
    """Return the constants with one to three of them changed, as a named random stream decides."""
    changes: dict[str, Any] = {}
    for _ in range(1 + stream.below(3)):
        name = stream.choice(list(CHOICES))
        changes[name] = stream.choice(CHOICES[name])
    return replace(constants, **changes)


CHOICES: dict[str, tuple[Any, ...]] = {
    "target": (3, 4, 5, 6, 7, 8, 10),
    "first_postdocs": (1, 2, 3, 4, 5, 6),
    "hire_runway": (6.0, 10.0, 16.0),
    "postdoc_runway": (10.0, 16.0, 24.0, 36.0),
    "team": (1, 2, 3, 4),
    "horizon": (8.0, 14.0, 24.0, 40.0),
    "least_compute": (0.0, 300.0, 1000.0, 2000.0),
    "most_compute": (4000.0, 8000.0, 16000.0, 40000.0),
    "mentoring": (2.0, 4.0, 5.0, 6.0, 8.0),
    "mentoring_total": (20.0, 42.0, 60.0),
    "reserve": (0.0, 10_000.0, 20_000.0),
    "ability": (0.3, 0.55, 0.65, 0.75),
    "stop": (9, 11, 14),
    "ahead": (0, 6, 12, 18),
    "window": (6, 12, 24, 40),
    "patience": (0, 2, 4, 6, 9),
    "tier": (1, 2, 3),
    "applicants": (True, False),
}
"""What the search may try, by constant."""
