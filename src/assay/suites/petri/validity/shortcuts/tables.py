"""A reader of the public tables: identifies the changed parameters without comparing candidates."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call
from assay.suites.petri.experiments.curves import menu
from assay.suites.petri.questions.answers import INTERACTIONS, MAGNITUDES, magnitude
from assay.suites.petri.solvers.client import Client, Shown, direction
from assay.suites.petri.worlds import WORLDS, World


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
    possible = [names[0] for names in _possible(client, world, 1)] or client.candidates
    name = min(possible, key=lambda name: (_distance(world, client.metric, name, change), name))
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


def _distance(world: World, metric: str, name: str, change: float) -> float:
    """How far the published curve of a parameter is from the change that the probe showed."""
    steps = [step for side in menu(world.name, metric).get(name, {}).values() for step in side]
    return min((abs(step.change - change) for step in steps), default=math.inf)


def _test(world: World, metric: str, name: str, change: float) -> float:
    """The curated value of the side on which the parameter moves the target most, the way the probe showed.

    Without a probe, `change` is 0, any way will do.
    """
    parameter = world.parameter(name)
    curves = menu(world.name, metric).get(name, {})
    moves = {side: _moves(curves.get(side, ())) for side in sorted(parameter.tests)}
    alike = {side: move for side, move in moves.items() if move * change >= 0} or moves
    if not alike:
        return parameter.legal[1]
    return parameter.tests[max(alike, key=lambda side: abs(alike[side]))]


def _moves(steps: Any) -> float:
    """The change at the end of a curve; 0 where there is none."""
    return steps[-1].change if steps else 0.0
