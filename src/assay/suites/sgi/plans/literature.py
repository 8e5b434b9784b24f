"""Published plans with their results: each wrong in its own way, together enough to plan from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.numbers.rng import Stream
from assay.suites.sgi.plans.laboratory import layout, readings
from assay.suites.sgi.plans.plan import Plan, from_json
from assay.suites.sgi.plans.surface import natural, response, scaled

WEAKNESSES = ("saturated", "near the usual", "days in order", "half of the factors", "scattered")
"""What is wrong with a published plan; a prompt never says so."""


MEAN_OF = 9
"""Readings of which a published one is the mean."""


def published(world: Mapping[str, Any], stream: Stream) -> list[dict[str, Any]]:
    """Three to six studies: plan, settings, readings and days of one execution."""
    count = len(world["factors"])
    asked = world["asked"]
    kinds = stream.sample(WEAKNESSES, 4 + stream.below(2))
    if asked:  # one more study goes over the question alone, in conditions that nobody has looked for
        kinds = [*kinds[1:], "conditions unknown"]
        stream.shuffle(kinds)
    studies = []
    for number, weakness in enumerate(kinds):
        varied = list(range(count))
        if weakness == "half of the factors":
            varied = sorted(stream.sample(varied, (count + 1) // 2))
        span = 0.12 if weakness == "near the usual" else 0.25 + 0.2 * stream.uniform()
        instrument = "cheap" if weakness == "saturated" else "exact"
        away = 0.25 if asked else 0.5
        centre = [min(max(value + away * (stream.uniform() - 0.5), 0.1), 0.9) for value in world["usual"]]
        if weakness == "conditions unknown":
            varied, centre = list(asked), list(world["usual"])
        studies.append(_study(world, stream, number, weakness, varied, centre, span, instrument))
    return studies


def _study(
    world: Mapping[str, Any],
    stream: Stream,
    number: int,
    weakness: str,
    varied: list[int],
    centre: list[float],
    span: float,
    instrument: str,
) -> dict[str, Any]:
    factors: dict[str, Any] = {}
    for at, factor in enumerate(world["factors"]):
        if at in varied:
            levels = 5
            ends = np.linspace(max(centre[at] - span, 0.0), min(centre[at] + span, 1.0), levels)
            factors[factor["name"]] = [natural(world, at, float(value)) for value in ends]
        else:
            factors[factor["name"]] = natural(world, at, centre[at])
    listed = []
    if weakness in ("scattered", "conditions unknown"):
        for _ in range(6 * len(varied) if weakness == "scattered" else 12 + 6 * len(varied)):
            run = {world["factors"][at]["name"]: natural(world, at, stream.uniform()) for at in varied}
            listed.append(run)
    plan = {
        "factors": factors,
        "layout": "listed" if listed else "one_at_a_time",
        "replicates": 1,
        "instrument": instrument,
        "blocks": {"by": "day", "randomise": weakness != "days in order"},
        "analysis": {"model": "best", "adjust": "no", "target": "largest"},
    } | ({"runs": listed} if listed else {})
    places, _ = layout(world, from_json(plan))
    order = list(range(len(places)))
    if weakness != "days in order":
        stream.shuffle(order)
    runs = places[order]
    truth = response(world, runs, world["true"])[None]
    scatter = {name: value / math.sqrt(MEAN_OF) for name, value in world["noise"].items()}
    runner = range(1000 + number, 1001 + number)
    seen = readings({**world, "noise": scatter}, truth, instrument, runner, 0)[0]
    day = np.arange(len(runs)) // world["day_capacity"]
    table = [
        {
            "setting": [natural(world, at, float(value)) for at, value in enumerate(run)],
            "day": int(d) + 1,
            "reading": float(f"{max(np.ravel(reading).tolist()):.3g}"),
            "readings": [float(f"{value:.3g}") for value in np.ravel(reading).tolist()],
        }
        for run, d, reading in zip(runs, day, seen, strict=True)
    ]
    return {"plan": plan, "weakness": weakness, "instrument": instrument, "runs": table}


def plans(studies: list[dict[str, Any]]) -> list[Plan]:
    """The published plans."""
    return [from_json(study["plan"]) for study in studies]


def settings_of(world: Mapping[str, Any], study: Mapping[str, Any]) -> Any:
    """The scaled settings of the runs of a study."""
    return np.array([[scaled(world, at, x) for at, x in enumerate(run["setting"])] for run in study["runs"]])
