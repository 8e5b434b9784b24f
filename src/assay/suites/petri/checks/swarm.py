"""Checks of `swarm` against the order-disorder transition of Vicsek et al., with only alignment and noise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from assay.protocol import CheckRow
from assay.suites.petri.checks.model import Literature
from assay.suites.petri.experiments.replicates import mean, replicates
from assay.suites.petri.worlds import SWARM

VICSEK = Literature(
    "Vicsek et al. (1995), Phys. Rev. Lett. 75, 1226",
    "angle noise is added to flocking agents with minimum-image neighbours, which is not the Vicsek rule: "
    "the claim is the transition, not its exponents",
)

PURE = {"cohesion": 0.0, "separation": 0.0, "inertia": 0.0}
"""Only alignment and noise, without the other interactions."""

NOISES = tuple(step / 10 for step in range(11))
NUMBERS = (40, 80, 128, 200, 300)
PI = 3.141592653589793


def _swarm(seeds: Sequence[int], **changes: float) -> np.ndarray:
    """Return the metrics of swarms with only alignment and noise, one row per seed."""
    return replicates("swarm", SWARM.control | PURE | changes, seeds)


def _order(seeds: Sequence[int], **changes: float) -> float:
    return mean(_swarm(seeds, **changes)[:, 0])


def little_noise(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    yield VICSEK.row(name, "polarization at noise 0.1", _order(seeds, noise=0.1), 0.9, None)


def full_noise(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    """Compare polarization at full noise with that of N random headings, sqrt(pi / (4 N)) for large N."""
    n = SWARM.control["n_agents"]
    floor = math.sqrt(PI / (4 * n))
    ratio = _order(seeds, noise=1.0) / floor
    yield VICSEK.row(name, "polarization at noise 1 over that of random headings", ratio, None, 1.5)


def falling(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    orders = [_order(seeds, noise=noise) for noise in NOISES]
    rises = sum(after >= before for before, after in pairwise(orders))
    yield VICSEK.row(name, "steps of noise by 0.1 without a fall of polarization", float(rises), None, 0.0)


def fluctuations(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    """Check the noise at which the susceptibility peaks.

    It is N times the variance of polarization over time, averaged over runs.
    """
    n = SWARM.control["n_agents"]
    values = []
    for noise in NOISES:
        spread = _swarm(seeds, noise=noise)[:, 1]
        values.append(n * mean(spread * spread))
    peak = max(values)
    # on the grid of tenths this means strictly between 0.3 and 0.8
    yield VICSEK.row(name, "noise at the peak of the susceptibility", NOISES[values.index(peak)], 0.4, 0.7)
    ends = max(values[0], values[-1])
    yield VICSEK.row(name, "peak of the susceptibility over its larger end", peak / ends, 3.0, None)


def density(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    orders = [_order(seeds, noise=0.5, n_agents=n) for n in NUMBERS]
    falls = sum(after <= before for before, after in pairwise(orders))
    yield VICSEK.row(
        name, "steps of density without a rise of polarization at noise 0.5", float(falls), None, 0.0
    )
