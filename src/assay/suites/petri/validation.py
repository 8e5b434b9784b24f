"""The worlds against established results of their literatures (section 6 of the paper).

Every check runs the engine on seeds that nothing else uses, with the thresholds fixed beforehand. `swarm` is
compared with the transition of Vicsek et al. from order to disorder, with alignment and noise alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from assay import rng
from assay.errors import UnknownName
from assay.protocol import CheckRow, Materials
from assay.suites.petri.replicates import mean, replicates
from assay.suites.petri.worlds import WORLDS

CHECKS: Mapping[str, str] = {
    "swarm-1": "with little noise the swarm is ordered",
    "swarm-2": "with full noise no order is left but that of finite number",
    "swarm-3": "order falls strictly as noise grows",
    "swarm-4": "fluctuations peak at a transition between order and disorder",
    "swarm-5": "order grows with density",
}
"""What each check says, where it passes."""

VICSEK = "Vicsek et al. (1995), Phys. Rev. Lett. 75, 1226"
BOIDS = (
    "angle noise is added to flocking agents with minimum-image neighbours, which is not the Vicsek rule: "
    "the claim is the transition, not its exponents"
)

PURE = {"cohesion": 0.0, "separation": 0.0, "inertia": 0.0}
"""Alignment and noise alone."""

NOISES = tuple(step / 10 for step in range(11))
NUMBERS = (40, 80, 128, 200, 300)
PI = 3.141592653589793


def check(name: str, settings: Mapping[str, Any], materials: Materials) -> Iterable[CheckRow]:
    """The comparisons of one check; `UnknownName` where there is none of that name."""
    if name not in CHECKS:
        raise UnknownName(f"there is no check {name!r}", f"choose one of {', '.join(CHECKS)}")
    seeds = _seeds(name.partition("-")[0], settings["seeds"])
    return list(_SWARM[name](name, seeds))


def _seeds(world: str, n: int) -> tuple[int, ...]:
    stream = rng.stream(0, "petri", "validation", world)
    return tuple(stream.bits() >> 11 for _ in range(n))


def _swarm(seeds: Sequence[int], **changes: float) -> np.ndarray:
    """Metrics of swarms with alignment and noise alone, one row a seed."""
    return replicates("swarm", WORLDS["swarm"].control | PURE | changes, seeds)


def _order(seeds: Sequence[int], **changes: float) -> float:
    return mean(_swarm(seeds, **changes)[:, 0])


def _row(name: str, statistic: str, value: float, low: float | None, high: float | None) -> CheckRow:
    passed = (low is None or low <= value) and (high is None or value <= high)
    return CheckRow(name, statistic, value, low, high, passed, VICSEK, BOIDS)


def _little_noise(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    yield _row(name, "polarization at noise 0.1", _order(seeds, noise=0.1), 0.9, None)


def _full_noise(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    """The mean length of the mean of N random headings is sqrt(pi / (4 N)) for large N (Rayleigh)."""
    n = WORLDS["swarm"].control["n_agents"]
    floor = math.sqrt(PI / (4 * n))
    ratio = _order(seeds, noise=1.0) / floor
    yield _row(name, "polarization at noise 1 over that of random headings", ratio, None, 1.5)


def _falling(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    orders = [_order(seeds, noise=noise) for noise in NOISES]
    rises = sum(after >= before for before, after in pairwise(orders))
    yield _row(name, "steps of noise by 0.1 without a fall of polarization", float(rises), None, 0.0)


def _fluctuations(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    """Susceptibility: N times the variance of polarization over time, mean over runs."""
    n = WORLDS["swarm"].control["n_agents"]
    values = []
    for noise in NOISES:
        spread = _swarm(seeds, noise=noise)[:, 1]
        values.append(n * mean(spread * spread))
    peak = max(values)
    # strictly between .3 and .8, on a grid of tenths
    yield _row(name, "noise at the peak of the susceptibility", NOISES[values.index(peak)], 0.4, 0.7)
    ends = max(values[0], values[-1])
    yield _row(name, "peak of the susceptibility over its larger end", peak / ends, 3.0, None)


def _density(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    orders = [_order(seeds, noise=0.5, n_agents=n) for n in NUMBERS]
    falls = sum(after <= before for before, after in pairwise(orders))
    yield _row(name, "steps of density without a rise of polarization at noise 0.5", float(falls), None, 0.0)


_SWARM: Mapping[str, Callable[[str, Sequence[int]], Iterable[CheckRow]]] = {
    "swarm-1": _little_noise,
    "swarm-2": _full_noise,
    "swarm-3": _falling,
    "swarm-4": _fluctuations,
    "swarm-5": _density,
}
