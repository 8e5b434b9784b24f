"""An open-loop plan: the same calls in every world, decided before the first month and never changed.

The plan is a function of the month alone. It names people, drafts and papers by the ids that they may have by
then; a call about one that does not exist is refused, and the plan goes on. Nothing that the lab shows is
read, refusals included. What the plan earns is what the constants of the world are worth to somebody who does
not look: the economy pays for work as such. The cards of the sets v1 take it as chance.

The numbers in `data/blind.yaml` were tuned on the worlds 3001 to 3060 in the mode `closed`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.config import yaml
from assay.numbers.rng import Stream
from assay.protocol import Brief, Call
from assay.suites.pilab.environment.parameters import AGENCIES, PUBLISHED, VENUES
from assay.suites.pilab.interface.client import Client
from assay.suites.pilab.lab.funding import calls
from assay.suites.pilab.solvers import HarnessClient

DATA_FILES = ("../../data/blind.yaml",)

Calls = Iterator[tuple[Any, ...]]


@dataclass(frozen=True)
class Plan:
    """The numbers of an open-loop plan; months count from 1.

    Attributes:
        searches: months in which a postdoc is searched for, one search each.
        renewals: whether contracts of postdocs are renewed.
        offers: offers of places at the beginning of each of the first `offer_years` years.
        offer_years: number of years with offers.
        mentoring: hours of mentoring for each person, of which `mentored` get any.
        mentored: number of people with mentoring.
        every: months between two projects of the same team.
        team: people in a team.
        last: last month in which a project starts.
        tiers: tier of the projects that start up to month 12, 36 and later.
        topics: topic of the projects that start up to month 12, 36 and later.
        compute: dollars of compute a month, up to month 12, 36 and later.
        polish: hours of polish for each new draft.
        journal: last month in which drafts go to the journal rather than to a conference.
        venues: venues in the order in which they are tried, after the journal.
        hours: hours of each proposal, tried in this order.
        evidence: numbers of papers attached to a proposal, tried in this order.
        grant_topic: topic of the proposals up to month 24, and later.
        drafts: drafts that may exist and be unpublished, counted back from `rate` for each month.
        rate: drafts a month.
        money_first: whether proposals are written before drafts are polished.
    """

    searches: tuple[int, ...]
    renewals: bool
    offers: int
    offer_years: int
    mentoring: float
    mentored: int
    every: int
    team: int
    last: int
    tiers: tuple[int, int, int]
    topics: tuple[str, str, str]
    compute: tuple[int, int, int]
    polish: float
    journal: int
    venues: tuple[str, ...]
    hours: tuple[float, ...]
    evidence: tuple[int, ...]
    grant_topic: tuple[str, str]
    drafts: int
    rate: float
    money_first: bool

    def month(self, month: int) -> Calls:
        """Yield the calls of a month, each as method and arguments."""
        yield from self._people(month)
        yield from self._projects(month)
        parts = (self._grants, self._papers) if self.money_first else (self._papers, self._grants)
        for part in parts:
            yield from part(month)

    def _people(self, month: int) -> Calls:
        for _ in range(self.searches.count(month)):
            yield ("recruit.post_postdoc",)
        year, of_year = divmod(month - 1, 12)
        if of_year == 0 and year < self.offer_years:
            for at in range(self.offers):
                yield "recruit.offer", _id("APP", 10 * year + at + 1)
        for person in self._staff(month):
            due = 24 < month < PUBLISHED.months - 6 and month % 3 == 0
            if self.renewals and due and person.startswith("PD"):
                yield "recruit.renew_postdoc", person
        for person in self._staff(month)[: self.mentored]:
            yield "students.set_mentoring", {person: self.mentoring}

    def _staff(self, month: int) -> list[str]:
        """Return the ids of the people who may be there."""
        searched = sum(posted + 2 < month for posted in self.searches)
        students = min(self.offers, 4) * min(self.offer_years, (month + 7) // 12)
        return [
            *(_id("PD", at + 1) for at in range(min(searched, 6))),
            *(_id("S", at + 1) for at in range(min(students, 6))),
        ]

    def _projects(self, month: int) -> Calls:
        staff, period = self._staff(month), (month > 12) + (month > 36)
        if month > self.last:
            return
        for at in range(0, len(staff), self.team):
            # The teams take turns, so that a project that lasts longer does not meet the next one.
            if (month + at) % self.every == 0 or (month == 4 and at < 4):
                team = staff[at : at + self.team]
                start = ("projects.start", self.topics[period], self.tiers[period])
                yield *start, team, self.compute[period]

    def _papers(self, month: int) -> Calls:
        newest = round(self.rate * month)
        for at in range(max(1, newest - self.drafts), newest + 4):
            draft = _id("D", at)
            yield "papers.polish", draft, self.polish
            yield "papers.revise", draft, 10
            for venue in ("JMR", *self.venues) if month <= self.journal else self.venues:
                # The deadlines are in the system prompt.
                if not VENUES[venue].deadlines or month % 12 in VENUES[venue].deadlines:
                    yield "papers.submit", draft, venue

    def _grants(self, month: int) -> Calls:
        for grant in OPEN[month]:
            for hours in self.hours:
                for papers in self.evidence:
                    attached = [_id("P", at + 1) for at in range(papers)]
                    yield "grants.propose", grant, self.grant_topic[month > 24], hours, attached


OPEN = {
    month: sorted(
        (call.id for call in calls(PUBLISHED) if call.opens <= month <= call.last),
        key=lambda name: -AGENCIES[name.split("-")[0]].award,
    )
    for month in range(1, PUBLISHED.months + 1)
}
"""The calls that are open in each month, the same in every world, the largest awards first."""


def _id(prefix: str, number: int) -> str:
    return f"{prefix}{number:03d}"


def read() -> Plan:
    """Return the tuned plan."""
    numbers: Any = yaml.read(Path(__file__).parent / DATA_FILES[0])
    values: Any = {name: tuple(v) if isinstance(v, list) else v for name, v in numbers.items()}
    return Plan(**values)


def blindly(plan: Plan, client: Client) -> None:
    """Make the calls of the present month."""
    for method, *arguments in plan.month(client.month):
        client.attempt(method, *arguments)


def play(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Play the tuned plan."""
    client, plan = HarnessClient(brief, call), read()
    client.play(lambda: blindly(plan, client))
