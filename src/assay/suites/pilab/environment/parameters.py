"""The numbers of the published world. The order of topics, venues, agencies and pools is part of them.

Money is in dollars, time in months, attention in hours a month. `data/world.yaml` holds venues, agencies,
pools of applicants and tiers of projects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from assay.config import yaml

DATA_FILES = ("../data/world.yaml",)

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
    deadlines: Sequence[int]
    delay: int
    bar: float
    visibility: float
    reputation: float


@dataclass(frozen=True)
class Agency:
    """Who gives grants; no `opens` means that its one call is open all the time."""

    name: str
    opens: Sequence[int]
    award: float
    duration: int
    bar: float
    delay: int
    concurrent: int
    reputation: float
    once: bool = False


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


_DECLARED = yaml.read(Path(__file__).parent / DATA_FILES[0])

VENUES: Mapping[str, Venue] = {name: Venue(name, **row) for name, row in _DECLARED["venues"].items()}
CONFERENCES = tuple(venue for venue in VENUES.values() if venue.deadlines)
AGENCIES: Mapping[str, Agency] = {name: Agency(name, **row) for name, row in _DECLARED["agencies"].items()}
POOLS = tuple(Pool(name, **row) for name, row in _DECLARED["pools"].items())
TIERS: Mapping[int, Sequence[float]] = _DECLARED["tiers"]
"""Work, probability of a dead end, and base quality of a project by its tier."""

CANDIDATES = 12
"""Candidates drawn from each pool a year; how many of them apply is another draw."""

REPUTATION_START = 2.0


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
