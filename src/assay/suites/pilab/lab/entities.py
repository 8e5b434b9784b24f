"""The entities of a lab: people, projects, papers, grants and events.

Ids are a prefix and a counter, e.g. PJ003. They are part of the keys of random draws, so counters advance
exactly as in the published program. The interface shows only the attributes that `views` and `database` name;
the comment "hidden" marks attributes that an agent has to infer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from assay.suites.pilab.environment.parameters import TOPICS

RESEARCHERS = ("phd", "postdoc")


class Refused(Exception):
    """The lab does not carry out a call; the text says why, and is shown to the agent."""


class _OnTopic:
    """An entity with the index of a topic."""

    __slots__ = ()
    topic: int

    @property
    def topic_name(self) -> str:
        return TOPICS[self.topic]


@dataclass(slots=True)
class Applicant:
    """An applicant for a PhD position; `season` is the year, from 0."""

    id: str
    season: int
    pool: str
    accept: float
    accept_slope: float
    name: str
    transcript: float
    letter: float
    # hidden
    interview: float
    ability: float
    speed: float
    resilience: float
    independence: float
    growth: float
    # state of the application
    interviewed: bool = False
    status: str = "pending"

    @property
    def interview_seen(self) -> float | None:
        return self.interview if self.interviewed else None


@dataclass(slots=True)
class Member:
    """A present or former member of the lab."""

    id: str
    name: str
    role: str
    arrived: int
    pay: float
    # hidden
    ability: float = 0.5
    speed: float = 1.0
    resilience: float = 0.7
    independence: float = 0.6
    growth: float = 1.0
    skill: float = 0.5
    morale: float = 0.75
    # not hidden, except for `traits`
    mentoring: float = 0.0
    status: str = "active"
    left: int | None = None
    papers: int = 0
    first_author: int = 0
    contract_end: int | None = None
    reports: list[tuple[int, float, float | None]] = field(default_factory=list)
    active: bool = True
    researcher: bool = True
    leaving: bool = False
    """Whether a dismissal takes effect at the end of the month, as in the mode `closed`."""
    traits: tuple[float, float, float, str] = field(init=False)
    """Ability, growth and independence to three decimals, and role; for the hidden evaluation rows."""

    def __post_init__(self) -> None:
        self.traits = (round(self.ability, 3), round(self.growth, 3), round(self.independence, 3), self.role)

    @property
    def dollars(self) -> int:
        """Monthly pay in whole dollars, as the interface shows it."""
        return int(self.pay)


@dataclass(slots=True)
class Project(_OnTopic):
    """A project; it is completed when `progress` reaches `work`, both in units of work."""

    id: str
    topic: int
    tier: int
    members: list[str]
    compute: float
    started: int
    # hidden
    feasible: bool
    novelty: float
    work: float
    context: dict[str, Any]
    status: str = "active"
    ended: int | None = None
    draft: str | None = None
    progress: float = 0.0
    ticks: int = 0
    compute_sum: float = 0.0
    talent_sum: float = 0.0
    effort_sum: float = 0.0
    scooped: int = 0
    announced: int = 0
    news_due: int | None = None
    shares: dict[str, float] = field(default_factory=dict)
    """Effort of each member so far, which decides who is an author in the mode `closed`."""

    @property
    def progress_pct(self) -> float:
        return round(100 * self.progress / self.work, 1)


@dataclass(slots=True)
class Draft(_OnTopic):
    """A manuscript; `quality` is hidden."""

    id: str
    project: str | None
    topic: int
    tier: int
    authors: list[str]
    created: int
    quality: float
    salvage: bool = False
    collab: bool = False
    polish: float = 0.0
    revisions: int = 0
    status: str = "available"
    revised_month: int | None = None

    def effective(self, polish: float = 0.5) -> float:
        """Return the quality including polish, of which the first 12 hours count and add up to `polish`."""
        return self.quality + polish * min(self.polish, 12.0) / 12.0


@dataclass(slots=True)
class Submission:
    """A draft at a venue."""

    id: str
    draft: str
    venue: str
    submitted: int
    decision: int
    status: str = "under_review"
    scores: list[float] | None = None

    @property
    def decided(self) -> int | None:
        """Month of the decision; `None` while the submission is under review."""
        return None if self.status == "under_review" else self.decision


@dataclass(slots=True)
class Publication(_OnTopic):
    """An accepted paper: visible, and cited, from its publication month on."""

    id: str
    draft: str
    venue: str
    topic: int
    tier: int
    authors: list[str]
    published: int
    collab: bool
    quality: float
    strength: float
    """Constant factor of the citation rate: the venue's visibility times the effect of quality."""
    halflife: float
    citations: int = 0
    monthly: list[tuple[int, int]] = field(default_factory=list)


@dataclass(slots=True)
class GrantCall:
    """A call for proposals, open from `opens` to `last`."""

    id: str
    agency: str
    opens: int
    last: int


@dataclass(slots=True)
class Proposal(_OnTopic):
    """A proposal; its `quality`, hidden, is fixed when it is submitted."""

    id: str
    call: str
    agency: str
    topic: int
    hours: float
    attached: list[str]
    submitted: int
    decision: int
    quality: float
    status: str = "pending"


@dataclass(slots=True)
class Award:
    """A grant that was won; it pays `monthly` dollars in each month from `start` to `end`."""

    id: str
    proposal: str
    agency: str
    total: float
    monthly: float
    start: int
    end: int


@dataclass(slots=True)
class Event:
    """An event that can be answered until month `expires`."""

    id: str
    kind: str
    month: int
    expires: int
    details: dict[str, Any]
    status: str = "pending"
    accepted: int = 0
    delivery: int = 0
    """`accepted` is the month in which a collaboration was accepted, `delivery` that of its draft; else 0."""


@dataclass(slots=True)
class Search:
    """A search for a postdoc, posted in month `posted`."""

    id: str
    posted: int
    resolved: bool = False
