"""A shortcut that runs the public simulation: which candidate acts as probes in other backgrounds show?

The candidates of a task act alike at control. Where a parameter that is no candidate stands at an end of its
range they often do not, and the package tells how each would act there. So a few probes name the changed
parameter without a proof: no candidate is ever held.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from assay.numbers import rng
from assay.numbers.portable import exp, log
from assay.numbers.rng import Stream
from assay.suites.petri.experiments.replicates import mean, variance
from assay.suites.petri.questions.answers import DIRECTIONS, REPLICATES
from assay.suites.petri.v1.runs import run
from assay.suites.petri.v1.solvers.client import Client
from assay.suites.petri.v1.solvers.shortcuts import glance, posterior
from assay.suites.petri.v1.stored.teams import GRID, able

BACKGROUNDS = 3
"""Largest number of probes after the probe of the control."""

RUNS = 12
"""Simulated runs of each candidate in each background."""

THINNED = 6
"""Effects that are multiples of this many steps of the generator's grid stand for those around them, so that
tasks share simulations."""

LEAST = 0.02
"""An effect with less than this share of the likeliest one's weight is left out."""

SURE = 0.95
"""At this probability of a candidate no more probes are made."""

CLEAR = 25.0
"""Squared distances, in standard errors, count up to this much when a background is chosen."""

Hypothesis = tuple[str, float]
"""A candidate and the relative change that it causes at control."""

Background = tuple[str, float]
"""A parameter that is no candidate, and the end of its range."""


def simulator(client: Client, stream: Stream, hidden: Any) -> None:
    """Probes the control and other backgrounds, and simulates each candidate there with the package."""
    if client.tier == "L3" or client.vector or client.blind:
        glance(client, stream, hidden)
        return
    change = (client.probe(()) or {}).get("relative_change") or 0.0
    weights = _thinned(posterior(client))
    if not weights:
        client.submit_effect(stream.choice(client.candidates), change)
        return
    world, ranges = client.facts["world"], client.facts["ranges"]
    left = [
        (name, end)
        for name in sorted(ranges)
        if name not in client.candidates
        for end in ranges[name]
        if end != client.control[name]
    ]
    for _ in range(min(BACKGROUNDS, client.left)):
        if not left or max(_shares(weights).values()) >= SURE:
            break
        chosen = max(left, key=lambda background: round(_promise(world, background, weights), 9))
        left.remove(chosen)
        shown = client.probe((), **dict([chosen]))
        if shown is not None:
            weights = _updated(world, chosen, weights, shown["mean_b"])
    shares = _shares(weights)
    best = max(sorted(shares), key=lambda name: round(shares[name], 9))
    effect = max(sorted(h for h in weights if h[0] == best), key=lambda h: round(weights[h], 9))
    client.submit_effect(best, effect[1])


def _thinned(weights: Mapping[Hypothesis, float]) -> dict[Hypothesis, float]:
    """Return weights for a reduced list of effects; the weights sum to one."""
    sums: dict[Hypothesis, float] = {}
    for (name, change), weight in sorted(weights.items()):
        steps = max(1, round(abs(change) / GRID / THINNED)) * THINNED
        key = name, math.copysign(round(steps * GRID, 3), change)
        sums[key] = sums.get(key, 0.0) + weight
    least = LEAST * max(sums.values(), default=0.0)
    return _normed({key: weight for key, weight in sums.items() if weight >= least})


def _normed(weights: Mapping[Hypothesis, float]) -> dict[Hypothesis, float]:
    total = math.fsum(weights.values())
    return {key: weight / total for key, weight in weights.items()}


def _shares(weights: Mapping[Hypothesis, float]) -> dict[str, float]:
    """Return the probability of each candidate."""
    names = sorted({name for name, _ in weights})
    return {name: math.fsum(w for (other, _), w in weights.items() if other == name) for name in names}


def _promise(world: str, background: Background, weights: Mapping[Hypothesis, float]) -> float:
    """Return how far apart a background drives the candidates, each at its likeliest effect."""
    shares = _shares(weights)
    likeliest = {
        name: max(sorted(h for h in weights if h[0] == name), key=lambda h: weights[h]) for name in shares
    }
    places = {name: _simulated(world, background, hypothesis) for name, hypothesis in likeliest.items()}
    total = 0.0
    for one, (centre, sd) in places.items():
        for other, (place, spread) in places.items():
            squared = (centre - place) ** 2 / ((sd * sd + spread * spread) / REPLICATES)
            total += shares[one] * shares[other] * min(CLEAR, squared)
    return total


def _updated(
    world: str, background: Background, weights: Mapping[Hypothesis, float], shown: float
) -> dict[Hypothesis, float]:
    """Return the weights by Bayes' rule, given the hidden world's mean in a background."""
    logs = {}
    for hypothesis, weight in weights.items():
        centre, sd = _simulated(world, background, hypothesis)
        error = sd * math.sqrt(1 / REPLICATES + 1 / RUNS)
        z = (shown - centre) / error
        logs[hypothesis] = float(log(weight)) - 0.5 * z * z - float(log(error))
    best = max(logs.values())
    return _normed({key: max(1e-12, float(exp(value - best))) for key, value in logs.items()})


@lru_cache(maxsize=16384)
def _simulated(world: str, background: Background, hypothesis: Hypothesis) -> tuple[float, float]:
    """Return mean and standard deviation of the target if a candidate was changed, in a background."""
    seeds = rng.stream(0, "petri", "simulator", world)
    overrides = {hypothesis[0]: _value(world, hypothesis), background[0]: background[1]}
    runs = run(world, overrides, [seeds.bits() >> 11 for _ in range(RUNS)])
    return mean(runs), max(math.sqrt(variance(runs)), 1e-3 * abs(mean(runs)), 1e-9)


def _value(world: str, hypothesis: Hypothesis) -> float:
    """Return the value of a candidate that causes an effect, or the nearest effect that it can cause."""
    name, change = hypothesis
    for steps in sorted(range(-THINNED, THINNED + 1), key=abs):
        size = abs(change) + steps * GRID
        curve = able(world, DIRECTIONS[change < 0], size).get(name)
        value = curve.value_at(size) if curve else None
        if value is not None:
            return value
    raise ValueError(f"{name} of {world} causes no effect near {change}")
