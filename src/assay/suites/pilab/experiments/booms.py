"""The boom of a world: its topic, height and time, and the IMPACT that one paper could reach in it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.suites.pilab.environment.field import World, trajectory
from assay.suites.pilab.environment.parameters import PUBLISHED, TOPICS, VENUES
from assay.suites.pilab.lab.entities import Publication
from assay.suites.pilab.lab.papers import PROJECTED, citation_rate


@dataclass(frozen=True)
class Boom:
    """The highest hotness in a world.

    Attributes:
        topic: the topic that reaches it.
        peak: the hotness.
        month: the first month in which the topic has this hotness.
        onset: the month before the topic's largest rise in one month.
    """

    topic: str
    peak: float
    month: int
    onset: int

    @property
    def size(self) -> str:
        """The class of the peak: `huge` at the ceiling of 6, `large` from 3 on, else `modest`."""
        return "huge" if self.peak >= 5.999 else "large" if self.peak >= 3 else "modest"

    @property
    def time(self) -> str:
        """The third of 60 months in which the boom begins: `early`, `middle` or `late`."""
        return "early" if self.onset < 20 else "middle" if self.onset < 40 else "late"


def boom(seed: int, months: int = PUBLISHED.months) -> Boom:
    """Return the boom in the first months of a seed's world."""
    rows = trajectory(World.of(seed))[: months + 1]
    peak = max(max(row) for row in rows[1:])
    topic = next(k for k in range(len(TOPICS)) if any(row[k] == peak for row in rows[1:]))
    month = next(t for t in range(1, months + 1) if rows[t][topic] == peak)
    rises = [math.log(rows[t + 1][topic] / rows[t][topic]) for t in range(1, months)]
    return Boom(TOPICS[topic], peak, month, 1 + max(range(len(rises)), key=lambda t: rises[t]))


def ceiling(seed: int, topic: int, month: int, quality: float = 9.0, reputation: float = 10.0) -> float:
    """Return the expected IMPACT of one publication at NAIC in `month`, as in section 6 of the paper."""
    venue, last = VENUES["NAIC"], PUBLISHED.months
    strength = venue.visibility * math.exp(0.42 * (quality - 5))
    paper = Publication("P", "D", venue.name, topic, 3, [], month, False, quality, strength, 30)
    rows = trajectory(World.of(seed))
    earned = projected = 0.0
    for t in range(month, last + 1):
        earned += citation_rate(paper, t, rows[t][topic], reputation, 0)
    for t in range(last + 1, last + PROJECTED + 1):
        projected += citation_rate(paper, t, rows[last][topic], reputation, 0)
    return earned + projected
