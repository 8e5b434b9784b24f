"""What can be read of the field each month: news, counts of preprints, reports of conferences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.suites.pilab.environment.parameters import CONFERENCES, TOPICS
from assay.suites.pilab.environment.randomness import Randomness

NEWS_RATE = 1.2
PREPRINT_RATE = 6.0
CONFERENCE_RATE = 4
"""Papers at a conference per unit of hotness, three months before."""

CYCLE, AMPLITUDE = 30, 0.18
"""Cycle in months and amplitude of the climate of funding, which the index shows two months late."""

Conference = tuple[int, str, tuple[int, ...]]
"""Month, venue, papers by topic."""

News = tuple[int, str, str | None, str]
"""Month, kind, topic, text."""


@dataclass(frozen=True, slots=True)
class Month:
    """What a month shows when it opens; conferences are apart."""

    news: tuple[News, ...]
    preprints: tuple[int, ...]
    """By topic."""
    luck: tuple[float, float, float]
    """Three uniform numbers that decide about a talk, a review and an offer to collaborate (`events`)."""


Rows = Sequence[Sequence[float]]


def publish(
    random: Randomness, months: int, hot: Rows, crowd: Rows, phase: float, prices: Mapping[int, str]
) -> tuple[Month, ...]:
    """What each month shows, from month 1 on; entry 0 is empty. `prices` are news of the price of compute."""
    every = range(1, months + 1)
    rates = [
        [rate for h, c in zip(hot[t], crowd[t], strict=True) for rate in (NEWS_RATE * h, PREPRINT_RATE * c)]
        for t in every
    ]
    counts, after = random.poissons([f"news|{t}" for t in every], rates)
    luck = random.uniform_rows([f"events|{t}" for t in every], 3)
    visible = [Month((), (), (1.0, 1.0, 1.0))]
    for t, row, z, (talk, review, offer) in zip(every, counts, after, luck, strict=True):
        news: list[News] = [(t, "compute", None, prices[t])] if t in prices else []
        news += [
            (t, "field", topic, f"{n} notable results in {topic}: {_magnitude(h)}")
            for topic, h, n in zip(TOPICS, hot[t], row[::2], strict=True)
            if n > 0
        ]
        if t % 3 == 0:
            news.append((t, "funding", None, _funding(t, phase, z)))
        visible.append(Month(tuple(news), tuple(row[1::2]), (talk, review, offer)))
    return tuple(visible)


def _magnitude(hot: float) -> str:
    return "surging" if hot >= 1.6 else "gaining steam" if hot >= 1.2 else "steady" if hot >= 0.8 else "quiet"


def _funding(month: int, phase: float, z: float) -> str:
    cycle = math.sin(2 * math.pi * (month - 2) / CYCLE + phase)
    index = (1 + AMPLITUDE * cycle) * (1.0 + 0.05 * z)
    mood = "expanding" if index > 1.05 else "tightening" if index < 0.95 else "flat"
    return f"Funding index {index:.2f}: budgets are {mood}"


def conferences(random: Randomness, months: int, hot: Rows) -> tuple[Conference, ...]:
    """The reports of all conferences in these months."""
    held = [
        (t, venue.name) for t in range(1, months + 1) for venue in CONFERENCES if t % 12 in venue.deadlines
    ]
    if not held:
        return ()
    keys = [f"conf|{name}|{t}|{topic}" for t, name in held for topic in TOPICS]
    rates = [[CONFERENCE_RATE * h] for t, _ in held for h in hot[max(1, t - 3)]]
    papers = [row[0] for row in random.poissons(keys, rates)[0]]
    size = len(TOPICS)
    return tuple((t, name, tuple(papers[at * size : (at + 1) * size])) for at, (t, name) in enumerate(held))
