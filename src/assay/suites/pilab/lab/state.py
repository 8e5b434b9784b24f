"""The lab: its state, its money, its hours of attention, and the order in which a month is played.

`Lab(seed)` opens month 1; `close_month` plays the month to its end and opens the next. The steps of a month
are defined in `projects`, `papers`, `funding`, `people`, `recruiting`, `events` and `environment.field`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from typing import Any

from assay.suites.pilab.environment.field import Conference, Field
from assay.suites.pilab.environment.parameters import (
    PUBLISHED,
    REPUTATION_START,
    RULES,
    Mode,
    Parameters,
    mode_of,
)
from assay.suites.pilab.environment.randomness import Randomness
from assay.suites.pilab.lab import entities, events, funding, papers, people, projects, recruiting
from assay.suites.pilab.lab.entities import Refused
from assay.task import Task

NEVER = -99
SERVICE = 7
"""The month of the year with service duty."""


class Lab:
    """One lab in one world; its state depends only on its arguments and the calls carried out.

    Args:
        seed: seed of the world.
        parameters: parameters of the world.
        mode: the rules of the game (`parameters.RULES`), or an alias.
        by_role: whether ids name roles, see `next_id`; for experiments, never for task sets.
    """

    def __init__(
        self, seed: int, parameters: Parameters = PUBLISHED, mode: str = "closed", by_role: bool = False
    ) -> None:
        self.seed = seed
        self.by_role = by_role
        self.parameters = parameters
        self.mode: Mode = mode_of(mode)
        self.rules = RULES[self.mode]
        self.months = parameters.months
        self.venues = {venue.name: venue for venue in parameters.venues}
        self.agencies = {agency.name: agency for agency in parameters.agencies}
        # Hours of oversight of a researcher, by the number of managers.
        self._oversight = [
            max(parameters.oversight_least, parameters.oversight - parameters.manager_relief * managers)
            for managers in range(parameters.most_managers + 1)
        ]
        self.random = Randomness(seed, parameters.months)
        self.month = 1
        self.budget = parameters.start_budget
        self.reputation = REPUTATION_START
        self.alumni = 0
        self.over = False
        self.collapse_month: int | None = None
        self.last_tif = NEVER
        self.last_conference = NEVER
        self.oneoff = 0.0
        self.boosted: set[int] = set()
        self.reputation_impulse = 0.0
        self.morale_impulse: dict[str, float] = {}
        self.counters: defaultdict[str, int] = defaultdict(int)

        self.applicants: dict[str, entities.Applicant] = {}
        self.members: dict[str, entities.Member] = {}
        self.projects: dict[str, entities.Project] = {}
        self.drafts: dict[str, entities.Draft] = {}
        self.submissions: dict[str, entities.Submission] = {}
        self.publications: dict[str, entities.Publication] = {}
        self.calls: dict[str, entities.GrantCall] = {}
        self.proposals: dict[str, entities.Proposal] = {}
        self.awards: dict[str, entities.Award] = {}
        self.events: dict[str, entities.Event] = {}
        self.searches: dict[str, entities.Search] = {}
        # The members, projects and events of the above that are active, in the same order, so that a month
        # does not go through all of them.
        self.present: list[entities.Member] = []
        self.running: list[entities.Project] = []
        self.waiting: list[entities.Event] = []
        self.deliveries: list[entities.Event] = []
        # Reports whose noise is not drawn yet: member, month, quality, and mood (None without a meeting).
        self.unread: list[tuple[entities.Member, int, float, float | None]] = []
        self.news: list[tuple[int, str, str | None, str]] = []
        self.preprints: list[tuple[int, tuple[int, ...]]] = []
        self.ledger: list[tuple[int, str, float, str]] = []
        self.rows: list[dict[str, Any]] = []
        self.mentoring_rows: list[tuple[int, list[tuple[float, float, float, float, str]]]] = []
        self.actions: list[tuple[int, str, dict[str, Any]]] = []

        self.field = Field(seed, parameters)
        for call in funding.calls(parameters):
            self.calls[call.id] = call
        self._open_month()

    @property
    def conferences(self) -> list[Conference]:
        """The reports of the conferences so far."""
        return [report for report in self.field.conferences() if report[0] <= self.month]

    # -- names, money, hours

    def next_id(self, prefix: str, *role: object) -> str:
        """Return a new id; a number is never used twice.

        Ids are part of the keys of random numbers. In the policy laboratory (`by_role`) an id names the role
        of its object, such as the project that a certain member began in month 4, so that leaving one
        decision out changes the luck of no other object. Elsewhere objects are numbered as they come, as in
        the published program.
        """
        if self.by_role:
            prefix = ".".join((prefix, *map(str, role))) + "#"
        self.counters[prefix] += 1
        return f"{prefix}{self.counters[prefix]:03d}"

    def pay(self, category: str, amount: float, note: str) -> None:
        """Add an amount of dollars, negative for expenses, to the budget and the ledger."""
        self.budget += amount
        self.ledger.append((self.month, category, amount, note))

    def tell(self, kind: str, topic: str | None, text: str) -> None:
        """Add an item to the news of this month."""
        self.news.append((self.month, kind, topic, text))

    def active(self) -> list[entities.Member]:
        """Return the present members of the lab, in the order of arrival."""
        return self.present

    def researchers(self) -> list[entities.Member]:
        """Return the PhD students and postdocs in the lab."""
        return [member for member in self.present if member.researcher]

    def active_projects(self) -> list[entities.Project]:
        return self.running

    def running_awards(self) -> list[entities.Award]:
        """Return the awards that pay this month."""
        return [award for award in self.awards.values() if award.start <= self.month <= award.end]

    def oversight(self) -> float:
        """Return the hours of attention that oversight of the people in the lab takes each month."""
        managers = researchers = assistants = 0
        for member in self.present:
            if member.researcher:
                researchers += 1
            elif member.role == "ra":
                assistants += 1
            else:
                managers += 1
        return self._oversight[managers] * researchers + self.parameters.assistant_oversight * assistants

    def pool(self) -> float:
        """Return this month's hours of attention after oversight and service duty, before any other use."""
        parameters = self.parameters
        left = parameters.attention_budget - self.oversight()
        if self.month % 12 == SERVICE:
            left -= parameters.service_tax_hours
        return left if left > parameters.attention_floor else parameters.attention_floor

    def mentoring_total(self) -> float:
        """Return the hours of mentoring that are reserved each month."""
        total = 0.0
        for member in self.present:
            total += member.mentoring
        return total

    def attention_left(self) -> float:
        """Return the hours of attention that are still free this month."""
        return self.pool() - self.mentoring_total() - self.oneoff

    def charge(self, hours: float, purpose: str) -> None:
        """Spend hours of attention this month.

        Raises:
            Refused: fewer hours are left, or `hours` is not a valid number.
        """
        left = self.attention_left()
        if self.rules.checked and not math.isfinite(hours):
            raise Refused(f"{purpose}: hours must be a finite number")
        if hours < 0 or hours > left + 1e-9:
            raise Refused(f"{purpose} takes {hours:g} hours, but {max(0.0, left):.1f} are left this month")
        self.oneoff += hours

    def burn(self) -> float:
        """Return the net cost of a month like this one in dollars: all expenses less income from awards."""
        pay = 0.0
        for member in self.present:
            pay += member.pay
        compute = 0.0
        for project in self.running:
            compute += project.compute * 1.0 * self.field.price
        running = self.running_awards()
        income = 0.0
        for award in running:
            income += award.monthly
        return pay + compute + self.parameters.grant_overhead * len(running) - income

    def runway(self) -> float:
        """Return the months until the money is used up, at a net cost of at least one dollar a month."""
        return self.budget / max(1, self.burn())

    def season(self) -> int:
        return (self.month - 1) // 12

    def feel(self, member: entities.Member, change: float) -> None:
        """Record a change of a member's morale that takes effect at the end of the month."""
        self.morale_impulse[member.id] = self.morale_impulse.get(member.id, 0.0) + change

    def disappoint(self, ids: list[str], weight: float) -> None:
        """Lower the morale of these people, as far as they are in the lab; less with a high resilience."""
        for identifier in ids:
            member = self.members[identifier]
            if member.active:
                self.feel(member, -weight / member.resilience)

    def published(self) -> list[entities.Publication]:
        return [paper for paper in self.publications.values() if paper.published <= self.month]

    def memberships(self) -> dict[str, int]:
        """Return the number of active projects of each member who has any."""
        count: dict[str, int] = {}
        for project in self.running:
            for identifier in project.members:
                count[identifier] = count.get(identifier, 0) + 1
        return count

    def join(self, member: entities.Member) -> None:
        self.members[member.id] = member
        self.present.append(member)

    def leave(self, member: entities.Member, status: str) -> None:
        """Remove a member from the lab and its active projects."""
        member.status, member.left, member.active = status, self.month, False
        self.present = [other for other in self.present if other is not member]
        for project in self.running:
            # As published, a member who is listed twice stays listed once, which counts as nobody.
            if member.id in project.members:
                project.members.remove(member.id)

    def end(self, project: entities.Project, status: str) -> None:
        project.status, project.ended = status, self.month
        self.running = [other for other in self.running if other is not project]

    # -- the month

    def close_month(self) -> None:
        """Play this month to its end and open the next.

        Raises:
            Refused: the run is over.
        """
        if self.over:
            raise Refused("the run is over")
        self._settle()
        projects.advance(self)
        papers.decide(self)
        papers.cite(self)
        funding.decide(self)
        events.expire(self)
        people.live(self)
        recruiting.resolve(self)
        people.search(self)
        if self.rules.closed:
            people.part(self)
        old, decay = self.reputation, self.parameters.reputation_decay
        self.reputation = min(
            max(old + self.reputation_impulse - decay * (old - REPUTATION_START), 0.0), 10.0
        )
        self.reputation_impulse = 0.0
        self._record()
        if self.budget < 0:
            self.over, self.collapse_month = True, self.month
            return
        if self.month >= self.months:
            self.over = True
            return
        self.month += 1
        self.field.step(self.month)
        self._open_month()

    def _settle(self) -> None:
        """Pay people and compute, and receive the income of grants."""
        closed, month = self.rules.closed, self.month
        for member in self.present:
            # In the mode `closed`, staff get their first pay when they are hired.
            if member.researcher or not closed or member.arrived != month:
                self.pay("stipend", -member.pay, member.id)
        for project in self.running:
            # In the mode `as-published` compute can be NaN, which "not <= 0" books as it did.
            if not project.compute <= 0:
                self.pay("compute", -(project.compute * 1.0 * self.field.price), project.id)
        for award in self.running_awards():
            self.pay("grant_income", award.monthly, award.id)
            self.pay("overhead", -self.parameters.grant_overhead, award.id)

    def _open_month(self) -> None:
        self.oneoff = 0.0
        shown = self.field.shown
        self.news += shown.news
        self.preprints.append((self.month, shown.preprints))
        events.arise(self)
        if self.month % 12 == 1:
            recruiting.open_season(self)
        for event in self.deliveries:
            if event.accepted < self.month <= event.delivery:
                self.oneoff += self.parameters.collaboration_hours
        total = self.mentoring_total()
        if total <= 0:
            return
        pool = self.pool()
        if total > (pool - self.oneoff) + 1e-9:
            scale = max(0.0, pool - self.oneoff) / total
            # Rounded, the hours can exceed the pool by some hundredths; the mode `closed` rounds down.
            for member in self.present:
                hours = member.mentoring * scale
                member.mentoring = math.floor(hours * 100) / 100 if self.rules.closed else round(hours, 2)

    def _record(self) -> None:
        researchers = self.researchers()
        staff = len(self.present) - len(researchers)
        self.rows.append(
            {
                "month": self.month,
                "budget": round(self.budget, 2),
                "reputation": round(self.reputation, 3),
                "researchers": len(researchers),
                "staff": staff,
                "projects": len(self.running),
                "publications": len(self.published()),
                "citations": papers.citations(self),
                "attention_used": round(self.mentoring_total() + self.oneoff, 1),
                "attention_pool": round(self.pool(), 1),
                "climate": round(self.field.climate, 3),
                "standing": standing(self.reputation),
            }
        )
        self.mentoring_rows.append((self.month, [(m.mentoring, *m.traits) for m in researchers]))


def standing(reputation: float) -> str:
    """Return the word that agents see for a reputation."""
    for bound, word in ((2.5, "unknown"), (4.0, "rising"), (6.0, "established")):
        if reputation < bound:
            return word
    return "renowned"


def parameters_of(task: Task) -> Parameters:
    """Return the parameters of a task's world: the published ones with the task's horizon."""
    return replace(PUBLISHED, months=task.public["months"])


def lab_of(task: Task) -> Lab:
    """Return the lab of a task in its first month."""
    return Lab(task.hidden["lab_seed"], parameters_of(task), task.public["mode"])
