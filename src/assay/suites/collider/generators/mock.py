"""A mock signal whose yields are known in closed form. It is no physics: it stands in for a simulation.

Pairs of particles of mass m (GeV) are made at a given rate and decay visibly in six of ten events. An event
has a missing momentum, exponential with mean 0.3 m, and an H_T, which exceeds 0.8 m by an exponential with
mean 0.4 m. So tools, provenance checks and agents of known conduct can be tried with samples that cost
nothing, against an exact reference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.numbers.portable import exp, log
from assay.numbers.rng import stream

NAME = "mock"
PROCESS = "mock-pair"
COLUMNS = ("event_id", "ptmiss", "ht")
BRANCHING = 0.6
SHARD = 500
"""Events of one shard; each shard is drawn from a stream of its own."""

MASSES = tuple(range(600, 1401, 50))


def point(mass: int) -> str:
    return f"Mock_{mass}"


def cross_section_fb(mass: float) -> float:
    """The rate in fb, six digits: falls by e every 180 GeV."""
    return float(f"{9.0 * exp((800.0 - mass) / 180.0):.6g}")


def card_problem(card: dict[str, object]) -> str | None:
    """Return what is wrong with a card of this generator; None where it is legal."""
    if set(card) != {"generator", "point", "mass"}:
        return "a card of the mock generator has the keys generator, point and mass"
    mass = card["mass"]
    if not isinstance(mass, int) or isinstance(mass, bool) or mass not in MASSES:
        return f"mass is one of {', '.join(map(str, MASSES))}"
    return None if card["point"] == point(mass) else f"point is {point(mass)} for this mass"


def shard(card: dict[str, object], seed: int, number: int, count: int) -> str:
    """The lines of one shard: `count` events in the order of COLUMNS, momenta in GeV with three decimals."""
    mass = float(str(card["mass"]))
    draws = stream(seed, "collider", NAME, int(mass), number)
    lines = []
    for n in range(count):
        ptmiss = -0.3 * mass * log(draws.uniform())
        ht = 0.8 * mass - 0.4 * mass * log(draws.uniform())
        lines.append(f"{number * SHARD + n},{ptmiss:.3f},{ht:.3f}\n")
    return "".join(lines)


def expected(mass: float, luminosity_fb: float, edges: Sequence[float], least_ht: float) -> list[float]:
    """The exact yields in bins of the missing momentum, the last one open, with H_T >= `least_ht`."""
    rate = luminosity_fb * cross_section_fb(mass) * BRANCHING
    passing = min(1.0, exp((0.8 * mass - least_ht) / (0.4 * mass)))
    above = [exp(-edge / (0.3 * mass)) for edge in edges[:-1]]
    return [rate * passing * (a - b) for a, b in zip(above, [*above[1:], 0.0], strict=True)]


def acceptance(mass: float, edges: Sequence[float], least_ht: float) -> float:
    """The share of visible events that the region takes."""
    return math.fsum(expected(mass, 1.0, edges, least_ht)) / (cross_section_fb(mass) * BRANCHING)
