"""Tasks of tier L4: a hidden context is drawn until its boundary, found at high resolution, is suitable."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.errors import TaskError
from assay.numbers import rng
from assay.suites.petri.boundary import TIER
from assay.suites.petri.boundary.transitions import TRANSITIONS, Transition
from assay.suites.petri.experiments.oracle import oracle_seeds
from assay.suites.petri.experiments.replicates import mean, replicates, variance
from assay.suites.petri.questions.acceptance import broken
from assay.suites.petri.questions.answers import BUDGET, REPLICATES
from assay.suites.petri.worlds import WORLDS
from assay.task import Task

VERSION = 1
TRIES = 50

COARSE = 24
HALVINGS = 6
"""`COARSE` runs of each value and `HALVINGS` halvings are used in the rough search over the span."""

FINE = 48
PLACES = 9
REACH = 0.06
"""The fine search uses `FINE` runs of each of `PLACES` values, up to `REACH` of the span to both sides."""

ERRORS = 2.0
"""Distance of both ends of the bracket from the crossing of the fitted line, in standard errors."""

MARGIN = 0.12
"""Smallest distance of the bracket from both ends of the span, as a share of the span."""

AWAY = 0.1
"""Smallest distance from the control's boundary, which an agent might know, as a share of the span."""

ROUGH = 0.05
"""Largest assumed error of the rough search, as a share of the span."""

WIDEST = 0.06
"""Largest width of a bracket, as a share of the span; a wider bracket is too uncertain for scoring."""

NEAR = 0.08
"""Distance from the bracket, as a share of the span, at which `COARSE` runs show the side of the level."""

DIGITS = 6
"""Number of decimals of a bracket."""

CONFIDENCE = 0.9
"""Coverage probability that is requested of an agent's interval."""


@dataclass(frozen=True)
class Bracket:
    """The interval from `low` to `high` in which a boundary lies according to hundreds of runs."""

    low: float
    high: float

    @property
    def centre(self) -> float:
        return round((self.low + self.high) / 2, DIGITS)


def generate(cell: Mapping[str, Any], set_name: str, index: int, seed: int) -> Task:
    """Return a task of the cell's world; raises `TaskError` if no context is suitable."""
    transition = TRANSITIONS[cell["world"]]
    control = find_bracket(transition, {}).centre
    for attempt in range(TRIES):
        stream = rng.stream(seed, "petri", "boundary", attempt)
        context = draw(transition, stream)
        if abs(halved(transition, context) - control) < (AWAY - ROUGH) * transition.width:
            continue  # too near the control's boundary for the costly fine search
        bracket = find_bracket(transition, context)
        if fits(transition, bracket, control):
            break
    else:
        raise TaskError(
            f"no boundary of the world {transition.world} was found in {TRIES} tries",
            "take another seed, or a wider context in suites/petri/data/transitions.yaml",
        )
    world = WORLDS[transition.world]
    return Task(
        suite="petri",
        task_set=set_name,
        task_id=f"{index:05d}-l4-{transition.world}",
        seed=seed,
        version=VERSION,
        strata={"tier": TIER, "world": transition.world, "band": "unrated"},
        public={
            "tier": TIER,
            "world": transition.world,
            "parameter": transition.parameter,
            "span": list(transition.span),
            "decimals": world.parameter(transition.parameter).decimals,
            "metric": transition.metric,
            "level": transition.level,
            "falls": transition.falls,
            "confidence": CONFIDENCE,
            "budget": BUDGET,
        },
        hidden={
            "context": context,
            "seeds": [stream.bits() >> 11 for _ in range(REPLICATES)],
            "bracket": [bracket.low, bracket.high],
            "at_control": control,
            "tries": attempt + 1,
        },
    )


def verify(task: Task) -> None:
    """Find the boundary again; raises `TaskError` if it differs from the task's or is not suitable."""
    transition, context, stated = stated_boundary(task)
    bracket = find_bracket(transition, context)
    if bracket != stated:
        raise broken(task, f"its boundary lies in {bracket.low} to {bracket.high}, not in {stated}")
    if not fits(transition, bracket, find_bracket(transition, {}).centre):
        raise broken(task, "its boundary is near an end of the span, near that of control, or too vague")


def verify_roughly(task: Task) -> None:
    """Check with few runs that the boundary lies near its bracket, as `verify` did while the set was frozen.

    Raises:
        TaskError: The metric is beyond the level at a distance of `NEAR` below the bracket, or is not at
            that distance above it.
    """
    transition, context, stated = stated_boundary(task)
    step = NEAR * transition.width
    at = (stated.low - step, stated.high + step)
    below, above = (past_level(transition, context, value, COARSE)[0] for value in at)
    if not below < 0 < above:
        raise broken(task, f"its boundary does not lie near {stated}")


def stated_boundary(task: Task) -> tuple[Transition, dict[str, float], Bracket]:
    """Return the transition of a task with its hidden context and bracket.

    Raises:
        TaskError: The hidden part is incomplete.
    """
    transition = TRANSITIONS[task.public["world"]]
    try:
        context, bracket = dict(task.hidden["context"]), Bracket(*task.hidden["bracket"])
    except (KeyError, TypeError) as problem:
        raise broken(task, f"its hidden part is incomplete ({problem})") from problem
    return transition, context, bracket


def draw(transition: Transition, stream: rng.Stream, n: int = 2) -> dict[str, float]:
    """Draw `n` parameters of the context, each with a value from its range."""
    world = WORLDS[transition.world]
    context = {}
    for name in sorted(stream.sample(sorted(transition.context), n)):
        low, high = transition.context[name]
        context[name] = world.parameter(name).rounded(low + (high - low) * stream.uniform())
    return context


def fits(transition: Transition, bracket: Bracket, control: float) -> bool:
    """Tell whether a bracket is suitable: inside the span, away from the control's boundary, and narrow."""
    low, high = (
        edge / transition.width
        for edge in (bracket.low - transition.span[0], transition.span[1] - bracket.high)
    )
    return (
        min(low, high) >= MARGIN
        and abs(bracket.centre - control) >= AWAY * transition.width
        and bracket.high - bracket.low <= WIDEST * transition.width
    )


def find_bracket(
    transition: Transition, context: Mapping[str, float], around: float | None = None, reach: float = REACH
) -> Bracket:
    """Return the bracket of the boundary in a context.

    A line is fitted by least squares to the metric at many values, up to `reach` of the span from `around`,
    or if that is None from the result of a rough search by bisection. The standard error follows from the
    spread of the runs.
    """
    step = reach * transition.width / (PLACES // 2)
    start = (halved(transition, context) if around is None else around) - reach * transition.width
    places = [_rounded(transition, start + step * k) for k in range(PLACES)]
    measured = [past_level(transition, context, place, FINE) for place in places]
    x = math.fsum(places) / PLACES
    y = math.fsum(past for past, _ in measured) / PLACES
    spread = math.fsum((place - x) * (place - x) for place in places)
    slope = (
        math.fsum((place - x) * (past - y) for place, (past, _) in zip(places, measured, strict=True))
        / spread
    )
    off = -y / slope
    noise = math.fsum(error * error for _, error in measured) / PLACES
    half = ERRORS * math.sqrt(noise * (1 / PLACES + off * off / spread)) / abs(slope)
    return Bracket(*(round(x + off + side * half, DIGITS) for side in (-1, 1)))


def halved(transition: Transition, context: Mapping[str, float]) -> float:
    """Return an approximate position of the boundary, found by bisection of the span."""
    low, high = transition.span
    for _ in range(HALVINGS):
        middle = _rounded(transition, (low + high) / 2)
        if past_level(transition, context, middle, COARSE)[0] < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def past_level(
    transition: Transition, context: Mapping[str, float], value: float, seeds: int
) -> tuple[float, float]:
    """Return how far the mean metric lies beyond the level, and its standard error, on the oracle's seeds."""
    world = WORLDS[transition.world]
    config = world.resolved({**transition.base, **context, transition.parameter: value})
    metrics = replicates(world.name, config, oracle_seeds(world.name, seeds))
    values = metrics[:, world.metrics.index(transition.metric)]
    return transition.beyond(mean(values)), math.sqrt(variance(values) / seeds)


def _rounded(transition: Transition, value: float) -> float:
    return WORLDS[transition.world].parameter(transition.parameter).rounded(value)
