"""A mock signal whose yields are known in closed form; it replaces a simulation and is not physics.

Pairs of particles of mass m (GeV) are produced at a given rate, and 60 % of the events are visible. The
missing momentum of an event is exponential with mean 0.3 m; its H_T exceeds 0.8 m by an exponential with mean
0.4 m. With these samples, tools, provenance checks and scripted agents can be tested at no cost against an
exact reference.
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
"""Number of events in one shard; each shard is drawn from a random stream of its own."""

MASSES = tuple(range(600, 1401, 50))


def point(mass: int) -> str:
    return f"Mock_{mass}"


def cross_section_fb(mass: float) -> float:
    """Return the cross section in fb with six digits; it falls by a factor e every 180 GeV."""
    return float(f"{9.0 * exp((800.0 - mass) / 180.0):.6g}")


def card_problem(card: dict[str, object]) -> str | None:
    """Return what is wrong with a card of this generator; None if it is valid."""
    if set(card) != {"generator", "point", "mass"}:
        return "a card of the mock generator has the keys generator, point and mass"
    mass = card["mass"]
    if not isinstance(mass, int) or isinstance(mass, bool) or mass not in MASSES:
        return f"mass is one of {', '.join(map(str, MASSES))}"
    return None if card["point"] == point(mass) else f"point is {point(mass)} for this mass"


def shard(card: dict[str, object], seed: int, number: int, count: int) -> str:
    """Return the lines of one shard: `count` events in the order of COLUMNS, in GeV with three decimals."""
    mass = float(str(card["mass"]))
    draws = stream(seed, "collider", NAME, int(mass), number)
    lines = []
    for n in range(count):
        ptmiss = -0.3 * mass * log(draws.uniform())
        ht = 0.8 * mass - 0.4 * mass * log(draws.uniform())
        lines.append(f"{number * SHARD + n},{ptmiss:.3f},{ht:.3f}\n")
    return "".join(lines)


def expected(mass: float, luminosity_fb: float, edges: Sequence[float], least_ht: float) -> list[float]:
    """Return the exact yields in bins of missing momentum (the last is open) with H_T >= `least_ht` (GeV)."""
    rate = luminosity_fb * cross_section_fb(mass) * BRANCHING
    passing = min(1.0, exp((0.8 * mass - least_ht) / (0.4 * mass)))
    above = [exp(-edge / (0.3 * mass)) for edge in edges[:-1]]
    return [rate * passing * (a - b) for a, b in zip(above, [*above[1:], 0.0], strict=True)]


def acceptance(mass: float, edges: Sequence[float], least_ht: float) -> float:
    """Return the share of visible events that lie in the region."""
    return math.fsum(expected(mass, 1.0, edges, least_ht)) / (cross_section_fb(mass) * BRANCHING)
