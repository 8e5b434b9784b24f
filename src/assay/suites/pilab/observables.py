"""What can be read of the field each month: news, counts of preprints, reports of conferences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.suites.pilab.field import CLIMATE_AMPLITUDE, CLIMATE_CYCLE
from assay.suites.pilab.parameters import CONFERENCES, TOPICS

if TYPE_CHECKING:
    from assay.suites.pilab.lab import Lab

NEWS_RATE = 1.2
PREPRINT_RATE = 6.0
CONFERENCE_RATE = 4
"""Papers at a conference per unit of hotness, three months before."""


def publish(lab: Lab) -> None:
    """News, preprints and conference reports of the month that opens."""
    month, field = lab.month, lab.field
    generator = lab.random.at(f"news|{month}")
    rates: list[float] = []
    for hot, crowd in zip(field.hot, field.crowd, strict=True):
        rates += (NEWS_RATE * hot, PREPRINT_RATE * crowd)
    counts = generator.poisson(rates).tolist()
    for topic, hot, n in zip(TOPICS, field.hot, counts[::2], strict=True):
        if n > 0:
            lab.news.append((month, "field", topic, f"{n} notable results in {topic}: {_magnitude(hot)}"))
    lab.preprints.append((month, tuple(counts[1::2])))
    funding = ""
    if month % 3 == 0 and month > 2:
        cycle = math.sin(2 * math.pi * (month - 2) / CLIMATE_CYCLE + field.phase)
        index = (1 + CLIMATE_AMPLITUDE * cycle) * (1.0 + 0.05 * generator.standard_normal())
        mood = "expanding" if index > 1.05 else "tightening" if index < 0.95 else "flat"
        funding = f"Funding index {index:.2f}: budgets are {mood}"
    for venue in CONFERENCES:
        if month % 12 in venue.deadlines:
            past = field.hot_at(max(1, month - 3))
            lab.conferences.append(
                (
                    month,
                    venue.name,
                    tuple(
                        int(lab.random.at(f"conf|{venue.name}|{month}|{topic}").poisson(CONFERENCE_RATE * h))
                        for topic, h in zip(TOPICS, past, strict=True)
                    ),
                )
            )
    if funding:
        lab.tell("funding", None, funding)


def _magnitude(hot: float) -> str:
    return "surging" if hot >= 1.6 else "gaining steam" if hot >= 1.2 else "steady" if hot >= 0.8 else "quiet"
