"""A reader of the public tables: identifies the changed parameters without comparing candidates."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call
from assay.suites.petri.experiments.curves import menu
from assay.suites.petri.questions.answers import INTERACTIONS, MAGNITUDES, magnitude
from assay.suites.petri.solvers.client import Client, Shown, direction
from assay.suites.petri.worlds import WORLDS, Side, World

Odds = Mapping[tuple[str, ...], float]
"""Weights of sets of drivers."""


def read(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Name the likeliest drivers by the tables, and make only the experiments that earn points for them."""
    client = Client(brief, call)
    world = WORLDS[client.facts["world"]].toward(client.metric)
    if client.tier == "L3":
        _pair(client, world)
    else:
        _single(client, world)


def _single(client: Client, world: World) -> None:
    """Direction and size are those that one probe of the hidden world shows."""
    shown = client.probe()
    change = shown["relative_change"] or 0.0
    odds = {names: _fit(world, client.metric, names[0], change) for names in _possible(client, world, 1)}
    ((name,),) = _best(odds)[:1] or [(client.candidates[0],)]
    client.test(**{name: _test(world, client.metric, name, change)})
    answer: dict[str, Any] = {"parameters": [name], "direction": direction(shown)}
    if client.tier == "L2":
        answer["magnitude"] = magnitude(change) or MAGNITUDES[0]
    client.submit(answer)


def _pair(client: Client, world: World) -> None:
    """Two tests and their combination, which show the sign of the interaction."""
    pairs = _possible(client, world, 2) or [tuple(client.candidates[:2])]
    named = pairs[0]
    tests = {name: _test(world, client.metric, name, 0.0) for name in named}
    seen: dict[str, Shown] = {name: client.test(**{name: value}) for name, value in tests.items()}
    both = client.test(**tests)
    contrast = both["mean_b"] - sum(shown["mean_b"] for shown in seen.values()) + both["mean_a"]
    client.submit({"parameters": list(named), "interaction": INTERACTIONS[contrast < 0]})


def _possible(client: Client, world: World, drivers: int) -> list[tuple[str, ...]]:
    """The sets of so many candidates that have test values while all others have decoy values."""
    parameters = {name: world.parameter(name) for name in client.candidates}
    return [
        names
        for names in combinations(client.candidates, drivers)
        if all(parameters[name].tests for name in names)
        and all(parameters[name].decoys for name in client.candidates if name not in names)
    ]


def _best(odds: Odds) -> list[tuple[str, ...]]:
    return sorted(odds, key=lambda names: (-odds[names], names))


def _fit(world: World, metric: str, name: str, change: float) -> float:
    """How near the published curve of a parameter comes to the change that the probe showed."""
    steps = [step for side in menu(world.name, metric).get(name, {}).values() for step in side]
    return -min((abs(step.change - change) for step in steps), default=1e9)


def _test(world: World, metric: str, name: str, change: float) -> float:
    """The curated value of the side on which the parameter moves the target the way the probe showed."""
    parameter = world.parameter(name)
    curves = menu(world.name, metric).get(name, {})
    alike: list[Side] = [side for side in parameter.tests if _moves(curves.get(side, ())) * change > 0]
    side = alike[0] if alike else next(iter(parameter.tests), "+")
    return parameter.tests.get(side, parameter.legal[1])


def _moves(steps: Any) -> float:
    """The change at the end of a curve; 0 where there is none."""
    return steps[-1].change if steps else 0.0
