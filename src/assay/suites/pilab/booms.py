"""The boom of a world: which topic becomes how hot, and when."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.suites.pilab.field import trajectory
from assay.suites.pilab.parameters import PUBLISHED, TOPICS


@dataclass(frozen=True)
class Boom:
    """The highest hotness in 60 months, its topic, and the month before its largest rise of one month."""

    topic: str
    peak: float
    month: int
    onset: int

    @property
    def size(self) -> str:
        """`huge` at the ceiling of 6, `large` from 3 on, else `modest`."""
        return "huge" if self.peak >= 5.999 else "large" if self.peak >= 3 else "modest"

    @property
    def time(self) -> str:
        """The third of the run in which it begins."""
        return "early" if self.onset < 20 else "middle" if self.onset < 40 else "late"


def boom(seed: int) -> Boom:
    """The boom of a seed's world."""
    p = PUBLISHED
    rows = trajectory(seed, p.months, p.hot_ou_sigma, p.p_boom, p.p_bust)[: p.months + 1]
    peak = max(max(row) for row in rows[1:])
    topic = next(k for k in range(len(TOPICS)) if any(row[k] == peak for row in rows[1:]))
    month = next(t for t in range(1, p.months + 1) if rows[t][topic] == peak)
    rises = [math.log(rows[t + 1][topic] / rows[t][topic]) for t in range(1, p.months)]
    return Boom(TOPICS[topic], peak, month, 1 + max(range(len(rises)), key=lambda t: rises[t]))
