"""The parameters of the published world, including the order of topics, venues, agencies and pools.

Money is in dollars, time in months, attention in hours a month. `data/world.yaml` holds venues, agencies,
pools of applicants and tiers of projects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from assay.config import yaml

DATA_FILES = ("../data/world.yaml",)

Mode = Literal["as-published", "closed", "mended"]
"""The game that is played: see `RULES`. Results of different modes are never pooled."""

ALIASES: Mapping[str, Mode] = {"released": "as-published"}
"""Other names of modes; recorded runs call the published program `released`."""


@dataclass(frozen=True)
class Rules:
    """How a mode treats calls and what it shows.

    Attributes:
        checked: refuse numbers that are not finite and repeated ids, carry out lists of interviews completely
            or not at all, and show neither scoops nor papers before their month.
        closed: every gain has its cost: staff are paid for each month that they work in, an author has done a
            part of the work, and hours that are spent stay spent.
        staff_tools: code can hire assistants and managers, and dismiss them.
        published_views: show what the published program shows, digit by digit: rounded amounts, SQL tables
            with typed columns, expected decisions, and all items for a count of 0.
    """

    checked: bool
    closed: bool
    staff_tools: bool
    published_views: bool


RULES: Mapping[Mode, Rules] = {
    "as-published": Rules(checked=False, closed=False, staff_tools=False, published_views=True),
    "closed": Rules(checked=True, closed=True, staff_tools=True, published_views=True),
    "mended": Rules(checked=True, closed=False, staff_tools=True, published_views=False),
}
"""The rules of each mode.

`as-published` is the game of the paper's agents, loopholes included; `closed` is ours, and the headline.
`mended` is the earlier version of `closed` that the sets named `-v0` play.
"""


def mode_of(name: str) -> Mode:
    """Return the mode with a name or an alias.

    Raises:
        KeyError: there is no such mode.

    >>> mode_of("released")
    'as-published'
    """
    mode = ALIASES.get(name, name)
    if mode not in RULES:
        raise KeyError(f"unknown mode {name!r}; the modes are {', '.join((*RULES, *ALIASES))}")
    return cast(Mode, mode)


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
    """A venue that papers are submitted to.

    Attributes:
        deadlines: months of the year in which papers can be submitted, 0 for December; none for any month.
        delay: months from submission to decision.
        bar: least score of an accepted paper.
        visibility: factor of a paper's citation rate.
        reputation: reputation that an accepted paper adds.
    """

    name: str
    kind: Literal["conf", "workshop", "journal"]
    deadlines: Sequence[int]
    delay: int
    bar: float
    visibility: float
    reputation: float


@dataclass(frozen=True)
class Agency:
    """An agency that awards grants.

    Attributes:
        opens: months of the run in which calls open; none for a single call that is always open.
        award: dollars of an award.
        duration: months over which an award is paid.
        bar: least quality of a funded proposal, including the panel's noise.
        delay: months from submission to decision.
        concurrent: largest number of awards and pending proposals at once.
        reputation: reputation that an award adds.
        once: whether a lab can win only one award.
    """

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
    """A pool of applicants, and how reliable their papers are.

    Attributes:
        ability: mean ability.
        ability_sd: standard deviation of ability.
        transcript_sd: standard deviation of the transcript's error.
        letter_bias: mean error of the letter.
        letter_sd: standard deviation of the letter's error.
        accept: probability that an offer is accepted, at the initial reputation.
        accept_slope: change of that probability for each unit of reputation.
        volume: expected number of applicants a year, at the initial reputation.
    """

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
"""Units of work, probability of a dead end, and base quality of a project, by tier."""

CANDIDATES = 12
"""Candidates drawn from each pool a year; how many of them apply is another draw."""

REPUTATION_START = 2.0


TURNS = 8
"""Turns with code that an agent has in a month."""


@dataclass(frozen=True)
class Parameters:
    """The parameters that an ablation can change; other constants are defined where they are used."""

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
