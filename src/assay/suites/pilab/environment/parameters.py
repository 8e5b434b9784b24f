"""The numbers of the published world. The order of topics, venues, agencies and pools is part of them.

Money is in dollars, time in months, attention in hours a month. The comments name the section of the
paper's world in which a number works, not its value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Mode = Literal["released", "mended"]
"""`released` keeps the holes of the published program, `mended` closes them."""

TOPICS = (
    "sparse_models",
    "ai4science",
    "embodied",
    "reasoning",
    "alignment",
    "data_systems",
    "theory",
    "neuro_ai",
)
TOPIC_INDEX: Mapping[str, int] = {name: index for index, name in enumerate(TOPICS)}
HOT_INIT = (1.6, 1.2, 0.8, 2.2, 1.0, 0.7, 0.5, 0.9)


@dataclass(frozen=True)
class Venue:
    """Where papers go; no `deadlines` means that every month will do."""

    name: str
    kind: Literal["conf", "workshop", "journal"]
    deadlines: tuple[int, ...]
    delay: int
    bar: float
    visibility: float


VENUES: Mapping[str, Venue] = {
    venue.name: venue
    for venue in (
        Venue("NAIC", "conf", (3, 9), 3, 6.3, 3.0),
        Venue("CLAR", "conf", (0, 6), 3, 4.6, 1.2),
        Venue("W-SHOP", "workshop", (), 1, 2.6, 0.4),
        Venue("JMR", "journal", (), 7, 5.6, 2.0),
    )
}
CONFERENCES = tuple(venue for venue in VENUES.values() if venue.deadlines)


@dataclass(frozen=True)
class Agency:
    """Who gives grants; no `opens` means that its one call is open all the time."""

    name: str
    opens: tuple[int, ...]
    award: float
    duration: int
    bar: float
    delay: int
    concurrent: int
    once: bool = False


AGENCIES: Mapping[str, Agency] = {
    agency.name: agency
    for agency in (
        Agency("BSF", (2, 8, 14, 20, 26, 32, 38, 44, 50, 56), 360_000.0, 36, 1.15, 5, 2),
        Agency("AMP", (5, 14, 26, 38, 50), 850_000.0, 24, 1.45, 6, 1),
        Agency("TIF", (), 90_000.0, 12, 0.92, 2, 2),
        Agency("FEL", (9, 21, 33), 150_000.0, 24, 1.35, 4, 1, once=True),
    )
}


@dataclass(frozen=True)
class Pool:
    """Where applicants come from, and how far their papers can be trusted."""

    name: str
    ability: float
    ability_sd: float
    transcript_sd: float
    letter_bias: float
    letter_sd: float
    accept: float
    accept_slope: float
    volume: float


POOLS = (
    Pool("elite", 0.68, 0.10, 0.05, 0.02, 0.08, 0.35, 0.05, 2.0),
    Pool("international", 0.62, 0.14, 0.10, 0.12, 0.15, 0.60, 0.03, 3.5),
    Pool("nontraditional", 0.55, 0.20, 0.18, -0.05, 0.12, 0.75, 0.02, 2.5),
    Pool("local", 0.50, 0.10, 0.06, 0.00, 0.06, 0.85, 0.01, 2.0),
)
CANDIDATES = 12
"""Candidates drawn from each pool a year; how many of them apply is another draw."""

TIERS: Mapping[int, tuple[float, float, float]] = {
    1: (6.0, 0.03, 1.2),
    2: (14.0, 0.10, 2.6),
    3: (28.0, 0.28, 3.6),
}
"""Work, probability of a dead end, and base quality of a project by its tier."""

REPUTATION_START = 2.0
REPUTATION_BY_VENUE: Mapping[str, float] = {"NAIC": 0.5, "JMR": 0.35, "CLAR": 0.15, "W-SHOP": 0.03}
REPUTATION_BY_AGENCY: Mapping[str, float] = {"BSF": 0.25, "AMP": 0.4, "FEL": 0.5, "TIF": 0.05}


TURNS = 8
"""Turns with code that an agent has in a month."""


@dataclass(frozen=True)
class Parameters:
    """What an ablation can change; all else of the world is written where it works."""

    months: int = 60
    start_budget: float = 600_000.0
    attention_budget: float = 100.0
    attention_floor: float = 30.0
    service_tax_hours: float = 12.0
    hot_ou_sigma: float = 0.10
    p_boom: float = 0.02
    p_bust: float = 0.015
    scoop_base: float = 0.010


PUBLISHED = Parameters()
