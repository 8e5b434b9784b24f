"""The parameters of the published world, including the order of topics, venues, agencies and pools.

Money is in dollars, time in months, attention in hours a month. `data/world.yaml` holds venues, agencies,
pools of applicants and tiers of projects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

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


def _venue(name: str, row: Mapping[str, Any]) -> Venue:
    return Venue(name, **{**row, "deadlines": tuple(row["deadlines"])})


def _agency(name: str, row: Mapping[str, Any]) -> Agency:
    return Agency(name, **{**row, "opens": tuple(row["opens"])})


VENUES: Mapping[str, Venue] = {name: _venue(name, row) for name, row in _DECLARED["venues"].items()}
CONFERENCES = tuple(venue for venue in VENUES.values() if venue.deadlines)
AGENCIES: Mapping[str, Agency] = {name: _agency(name, row) for name, row in _DECLARED["agencies"].items()}
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
    """The parameters of a world, by default those of the published one.

    Ablations change a few of them, the policy laboratory any. The tables (venues, agencies, pools, tiers)
    have the rows of the published world in the same order, possibly with other numbers.
    """

    months: int = 60
    # Money, in dollars.
    start_budget: float = 600_000.0
    phd_stipend: float = 3200.0
    postdoc_salary: float = 6500.0
    assistant_salary: float = 1800.0
    manager_salary: float = 4500.0
    grant_overhead: float = 600.0
    proposal_cost: float = 500.0
    talk_cost: float = 1500.0
    conference_cost: float = 2500.0
    advertisement: float = 1000.0
    # Attention, in hours a month.
    attention_budget: float = 100.0
    attention_floor: float = 30.0
    service_tax_hours: float = 12.0
    oversight: float = 4.0
    oversight_least: float = 1.0
    manager_relief: float = 2.0
    assistant_oversight: float = 1.5
    interview_hours: float = 3.0
    review_hours: float = 6.0
    talk_hours: float = 8.0
    crisis_hours: float = 10.0
    conference_hours: float = 15.0
    collaboration_hours: float = 6.0
    # The field.
    hot_pull: float = 0.06
    hot_drift: float = 0.015
    hot_ou_sigma: float = 0.10
    p_boom: float = 0.02
    p_bust: float = 0.015
    news_rate: float = 1.2
    preprint_rate: float = 6.0
    # People.
    capacity: int = 12
    most_managers: int = 2
    skill_start: float = 0.35
    skill_ability: float = 0.30
    skill_growth: float = 0.012
    skill_most: float = 1.2
    quit_scale: float = 0.5
    quit_middle: float = 0.35
    quit_width: float = 0.07
    quit_most: float = 0.25
    graduation_months: int = 48
    graduation_papers: int = 2
    postdoc_lift: float = 0.12
    postdoc_contract: int = 24
    alumni_lift: float = 0.012
    alumni_lift_most: float = 0.06
    alumni_citations: float = 0.005
    # Projects.
    most_projects: int = 10
    progress: float = 0.9
    progress_noise: float = 0.22
    compute_unit: float = 800.0
    compute_progress: float = 0.30
    dead_end_shows: float = 0.6
    salvage: float = 0.5
    scoop_base: float = 0.010
    scoop_novelty: float = 0.45
    novelty_crowd: float = 0.06
    novelty_loss: float = 0.015
    breakthrough: float = 0.18
    breakthrough_gain: float = 1.5
    quality_skill: float = 1.8
    quality_novelty: float = 0.9
    quality_compute: float = 0.35
    quality_polish: float = 0.5
    quality_noise: float = 0.45
    # Review and citations.
    review_hot: float = 0.35
    review_reputation: float = 0.15
    review_noise: float = 0.5
    review_spread: float = 0.35
    revision_gain: float = 0.35
    revision_decay: float = 0.8
    citation_quality: float = 0.42
    citation_ramp: int = 6
    citation_halflife: float = 30.0
    citation_halflife_journal: float = 40.0
    citation_reputation: float = 0.08
    collaboration_credit: float = 0.5
    # Grants.
    proposal_hours: float = 0.42
    proposal_hours_unit: float = 25.0
    proposal_hours_power: float = 0.7
    proposal_evidence: float = 0.55
    proposal_evidence_unit: float = 6.0
    proposal_reputation: float = 0.06
    proposal_reputation_most: float = 0.35
    proposal_awards: float = 0.10
    proposal_climate: float = 0.25
    proposal_noise: float = 0.28
    tif_hot: float = 0.20
    tif_cooldown: int = 3
    amp_ambition: float = 0.15
    amp_hot: float = 0.35
    amp_preference: float = 0.5
    preference_range: float = 0.6
    climate_amplitude: float = 0.18
    # Reputation.
    reputation_decay: float = 0.01
    reputation_talk: float = 0.12
    reputation_review: float = 0.02
    reputation_declined: float = -0.03
    reputation_graduation: float = 0.25
    reputation_citations: float = 0.04
    reputation_conference: float = 0.06
    # Events.
    talk_rate: float = 0.08
    talk_base: float = 0.05
    talk_most: float = 0.6
    review_rate: float = 0.6
    crisis_rate: float = 0.02
    collaboration_rate: float = 0.05
    collaboration_most: float = 0.5
    collaboration_months: int = 3
    conference_cooldown: int = 5
    # Tables.
    venues: tuple[Venue, ...] = tuple(VENUES.values())
    agencies: tuple[Agency, ...] = tuple(AGENCIES.values())
    pools: tuple[Pool, ...] = POOLS
    tiers: tuple[tuple[float, float, float], ...] = tuple(
        (float(work), float(dead_end), float(quality)) for work, dead_end, quality in TIERS.values()
    )
    """Units of work, probability of a dead end, and base quality, of tiers 1 to 3."""


PUBLISHED = Parameters()
