"""A reader of the public constants: finds the mechanism without an intervention."""

from __future__ import annotations

import random
import zlib
from collections.abc import Mapping, Sequence
from itertools import combinations, product

from assay.suites.causalab.model.scm import Values
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.simulation.instances import LARGEST_BASE, REACTOR_OFFSET, RECORD_SEED
from assay.suites.causalab.solvers.client import Client
from assay.suites.causalab.solvers.discovery import (
    CENT,
    COEFFICIENTS,
    Estimate,
    best_acyclic,
    likeliest,
)
from assay.suites.causalab.solvers.reference import finish

EPISODE_SEED = 1
"""The seed of the crystals of every public episode."""

LARGEST_SEARCH = 8
"""Properties up to which sets of causes are searched."""


def conduct(client: Client) -> None:
    """Open the reactor at once, solve for the causes of each property, and predict."""
    if len(client.properties) <= LARGEST_SEARCH and not client.quadratic:
        client.open_reactor()
    finish(client, mechanism)


def mechanism(client: Client) -> Estimate:
    """The sparsest graph with whole coefficients that gives what every crystal shows from its start values.

    The start value of the target is no constant: its equation is the likeliest one.
    """
    if client.quadratic or len(client.properties) > LARGEST_SEARCH:
        return Estimate()
    names = client.properties
    shown, bases = crystals(client)
    equation = likeliest(names, client.evidence(), shown)
    options = [_causes(at, names, shown, bases) for at in range(len(names))]
    chosen = best_acyclic(len(names), options) or [0] * len(names)
    edges = [(cause, TARGET) for cause in equation.weights]
    edges += [
        (cause, effect)
        for effect, mask in zip(names, chosen, strict=True)
        for at, cause in enumerate(names)
        if mask >> at & 1
    ]
    return Estimate(tuple(edges), equation.base, equation.weights)


def crystals(client: Client) -> tuple[list[Values], list[Mapping[str, int]]]:
    """What crystals show, and the start values of each."""
    order = client.controllable
    chance = random.Random(RECORD_SEED)
    seen = list(client.records)
    bases: list[Mapping[str, int]] = [{name: chance.randint(0, LARGEST_BASE) for name in order} for _ in seen]
    for shown, seed in (
        (client.start, EPISODE_SEED * 1000),
        (client.reactor, EPISODE_SEED * 1000 + REACTOR_OFFSET),
    ):
        if shown is not None:
            seen.append(shown)
            bases.append({name: _drawn(seed, name) for name in order})
    return seen, bases


def _drawn(seed: int, name: str) -> int:
    return random.Random(seed + zlib.crc32(name.encode()) % 1000).randint(0, LARGEST_BASE)


def _causes(
    at: int, names: Sequence[str], crystals: Sequence[Values], bases: Sequence[Mapping[str, int]]
) -> list[tuple[float, int]]:
    """The sets of causes with which some whole coefficients give a property in every crystal."""
    name = names[at]
    added = [crystal[name] - base.get(name, 0) for crystal, base in zip(crystals, bases, strict=True)]
    possible = []
    others = [n for n in range(len(names)) if n != at]
    for size in range(len(others) + 1):
        for causes in combinations(others, size):
            columns = [[crystal[names[cause]] for crystal in crystals] for cause in causes]
            if any(_gives(added, columns, weights) for weights in product(COEFFICIENTS, repeat=size)):
                possible.append((float(size), sum(1 << cause for cause in causes)))
    return possible


def _gives(added: Sequence[float], columns: Sequence[Sequence[float]], weights: Sequence[int]) -> bool:
    return all(
        abs(value - sum(w * column[row] for w, column in zip(weights, columns, strict=True))) <= CENT
        for row, value in enumerate(added)
    )
