"""Tasks of tier L4: draw a hidden context, find its boundary at high resolution, draw again if need be."""

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
from assay.suites.petri.experiments.replicates import mean, replicates
from assay.suites.petri.questions.answers import BUDGET, REPLICATES
from assay.suites.petri.worlds import WORLDS
from assay.task import Task

VERSION = 1
TRIES = 50

COARSE = 24
HALVINGS = 6
"""First the span is halved towards the boundary, with this many runs of each value ..."""

FINE = 48
PLACES = 9
REACH = 0.06
"""... then this many values, up to this part of the span away on both sides, are run so often each."""

ERRORS = 2.0
"""The bracket reaches this many standard errors to both sides of where the fitted line passes the level."""

MARGIN = 0.12
"""Of the span: so far the bracket keeps from both ends ..."""

AWAY = 0.1
"""... and so far from the boundary at control, which an agent could know."""

ROUGH = 0.05
"""Of the span: halving does not err by more."""

WIDEST = 0.06
"""Of the span: a wider bracket is no truth to measure by."""

DIGITS = 6
"""Decimals of a bracket."""

CONFIDENCE = 0.9
"""Of the interval that an agent states."""


@dataclass(frozen=True)
class Bracket:
    """Where a boundary lies, as far as hundreds of runs tell: from `low` to `high`."""

    low: float
    high: float

    @property
    def centre(self) -> float:
        return round((self.low + self.high) / 2, DIGITS)


def generate(cell: Mapping[str, Any], set_name: str, index: int, seed: int) -> Task:
    """A task of the cell's world; `TaskError` where no context gives one."""
    transition = TRANSITIONS[cell["world"]]
    control = find_bracket(transition, {}).centre
    for attempt in range(TRIES):
        stream = rng.stream(seed, "petri", "boundary", attempt)
        context = draw(transition, stream)
        if abs(halved(transition, context) - control) < (AWAY - ROUGH) * transition.width:
            continue  # not worth a closer look
        found = find_bracket(transition, context)
        if fits(transition, found, control):
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
            "bracket": [found.low, found.high],
            "at_control": control,
            "tries": attempt + 1,
        },
    )


def verify(task: Task) -> None:
    """Find the boundary again; `TaskError` where it is not where the task says, or makes no task."""
    transition = TRANSITIONS[task.public["world"]]
    try:
        context, told = task.hidden["context"], task.hidden["bracket"]
        found = find_bracket(transition, context)
    except (KeyError, TypeError) as problem:
        raise _broken(task, f"its hidden part is incomplete ({problem})") from problem
    if [found.low, found.high] != told:
        raise _broken(task, f"its boundary lies in {found.low} to {found.high}, not in {told}")
    if not fits(transition, found, find_bracket(transition, {}).centre):
        raise _broken(task, "its boundary is near an end of the span, near that of control, or too vague")


def _broken(task: Task, what: str) -> TaskError:
    return TaskError(
        f"the task {task.task_id} of {task.task_set} is not sound: {what}",
        "restore it from git, or generate it anew; a frozen set is never edited",
    )


def draw(transition: Transition, stream: rng.Stream) -> dict[str, float]:
    """Two parameters of the context, each with a value from its range."""
    world = WORLDS[transition.world]
    context = {}
    for name in sorted(stream.sample(sorted(transition.context), 2)):
        low, high = transition.context[name]
        context[name] = world.parameter(name).rounded(low + (high - low) * stream.uniform())
    return context


def fits(transition: Transition, found: Bracket, control: float) -> bool:
    """Whether a boundary makes a task: inside the span, not where it lies at control, and sharp."""
    low, high = (
        edge / transition.width for edge in (found.low - transition.span[0], transition.span[1] - found.high)
    )
    return (
        min(low, high) >= MARGIN
        and abs(found.centre - control) >= AWAY * transition.width
        and found.high - found.low <= WIDEST * transition.width
    )


def find_bracket(transition: Transition, context: Mapping[str, float]) -> Bracket:
    """The bracket of the boundary in a context: halving first, then a line through many values nearby.

    The line is fitted by least squares; the runs of a value give its standard error.
    """
    step = REACH * transition.width / (PLACES // 2)
    start = halved(transition, context) - REACH * transition.width
    places = [_rounded(transition, start + step * k) for k in range(PLACES)]
    found = [past_level(transition, context, place, FINE) for place in places]
    x = math.fsum(places) / PLACES
    y = math.fsum(past for past, _ in found) / PLACES
    spread = math.fsum((place - x) * (place - x) for place in places)
    slope = (
        math.fsum((place - x) * (past - y) for place, (past, _) in zip(places, found, strict=True)) / spread
    )
    off = -y / slope
    noise = math.fsum(error * error for _, error in found) / PLACES
    reach = ERRORS * math.sqrt(noise * (1 / PLACES + off * off / spread)) / abs(slope)
    return Bracket(*(round(x + off + side * reach, DIGITS) for side in (-1, 1)))


def halved(transition: Transition, context: Mapping[str, float]) -> float:
    """Roughly where the boundary lies, by halving the span."""
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
    """How far the metric's mean is past the level at a value, and the standard error; oracle's seeds."""
    world = WORLDS[transition.world]
    config = world.resolved({**transition.base, **context, transition.parameter: value})
    found = replicates(world.name, config, oracle_seeds(world.name, seeds))
    values = found[:, world.metrics.index(transition.metric)]
    centre = mean(values)
    variance = math.fsum((v - centre) * (v - centre) for v in values.tolist()) / (seeds - 1)
    return transition.beyond(centre), math.sqrt(variance / seeds)


def _rounded(transition: Transition, value: float) -> float:
    return WORLDS[transition.world].parameter(transition.parameter).rounded(value)
