"""Checks of `swarm` against the order-disorder transition of Vicsek et al., and of its single interactions.

The transition is checked with only alignment and noise. Where theory gives a number, the bounds are those of
its error: the finite number of agents, or four standard errors of the runs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from assay.numbers import portable
from assay.protocol import CheckRow
from assay.suites.petri.checks.model import Literature, vector
from assay.suites.petri.experiments.replicates import mean, replicates, simulation
from assay.suites.petri.worlds import SWARM

VICSEK = Literature(
    "Vicsek et al. (1995), Phys. Rev. Lett. 75, 1226",
    "angle noise is added to flocking agents with minimum-image neighbours, which is not the Vicsek rule: "
    "the claim is the transition, not its exponents",
)
WALK = Literature(
    "Kareiva and Shigesada (1983), Oecologia 56, 234",
    "turning angles are uniform, so that their mean cosine is sin(pi noise) / (pi noise)",
)
ZONES = Literature(
    "Couzin et al. (2002), J. Theor. Biol. 218, 1",
    "the claim is the direction of the effect: inside its zone the repulsion grows with distance here, and "
    "does not take precedence over the other interactions",
)
LEADERS = Literature(
    "Couzin et al. (2005), Nature 433, 513", "the claim is the direction of the effect, not its size"
)
PLACES = Literature(
    "Clark and Evans (1954), Ecology 35, 445", "agents that move at random stay spread at random on the torus"
)
TORUS = Literature(
    "Vicsek et al. (1995), Phys. Rev. Lett. 75, 1226", "a symmetry of the model, which holds up to rounding"
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
    """Compare polarization at full noise with that of N random headings, sqrt(pi / (4 N)) for large N.

    Its length is Rayleigh distributed, with a standard deviation over time of sqrt((4 - pi) / (4 N)).
    """
    n = SWARM.control["n_agents"]
    floor = math.sqrt(PI / (4 * n))
    ratio = _order(seeds, noise=1.0) / floor
    yield VICSEK.row(name, "polarization at noise 1 over that of random headings", ratio, None, 1.5)
    spread = mean(_swarm(seeds, noise=1.0)[:, 1]) / math.sqrt((4.0 - PI) / (4 * n))
    yield VICSEK.row(name, "its standard deviation over that of random headings", spread, 0.95, 1.05)


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


ALL = 6.0
"""A radius beyond the largest distance on the torus: every agent is a neighbour of every other."""
ERRORS = (0.2, 0.3, 0.5)
FREE = PURE | {"alignment": 0.0, "inertia": 1.0}
"""Agents that ignore each other and keep their heading up to errors."""
TURN, STEPS = 0.2, 10
SIDE, LINK = 8.0, 0.5
"""The side of the torus, and the distance up to which agents belong to one group."""
SHIFT = 4.0
LED = (0.0, 0.02, 0.05, 0.1)


def _kept(noise: float) -> float:
    """Return the mean cosine of a turn by an angle that is uniform in [-pi noise, pi noise]."""
    sine: float = portable.sincos(PI * noise)[0]
    return sine / (PI * noise)


def errors(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    """Compare order with that of agents which all take the same direction and then err independently.

    Two agents without errors end with one heading only if each counts itself among its neighbours.
    """
    pair = float(_swarm(seeds, noise=0.0, n_agents=2, radius=ALL)[:, 0].min())
    yield VICSEK.row(name, "least polarization of two agents without noise", pair, 1.0 - 1e-9, None)
    n = SWARM.control["n_agents"]
    for noise in ERRORS:
        kept = _kept(noise)
        runs = _swarm(seeds, noise=noise, radius=ALL)
        expected = math.sqrt(kept * kept + (1.0 - kept * kept) / n)
        ratio = mean(runs[:, 0]) / expected
        yield VICSEK.row(
            name, f"polarization over theory, all agents neighbours, noise {noise}", ratio, 0.99, 1.01
        )
        ratio = mean(runs[:, 3]) / (kept * kept)
        yield VICSEK.row(
            name, f"order of pairs over theory, all agents neighbours, noise {noise}", ratio, 0.96, 1.04
        )


def _states(seeds: Sequence[int], steps: int, **changes: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return positions and headings of each run after some steps, each float64 (2, n)."""
    parameters = vector(SWARM, changes)
    return [simulation("swarm").final_state(parameters, np.uint64(seed), steps) for seed in seeds]


def walk(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    """Compare agents that ignore each other with correlated random walks of constant speed."""
    start, before, after = (_states(seeds, steps, **FREE, noise=TURN) for steps in (0, STEPS, STEPS + 1))
    cosines = [2.0 * mean((first[1] * last[1]).ravel()) for first, last in zip(start, before, strict=True)]
    expected = 1.0
    for _ in range(STEPS):
        expected = expected * _kept(TURN)
    off = math.fsum(cosines) / len(cosines) - expected
    yield WALK.row(name, f"mean cosine of the turn in {STEPS} steps less theory", off, -0.03, 0.03)
    longest = shortest = SWARM.control["speed"]
    for (places, _), (later, _) in zip(before, after, strict=True):
        moves = np.abs(later - places)
        moves = np.minimum(moves, SIDE - moves)
        lengths = np.sqrt((moves * moves).sum(axis=0))
        longest, shortest = max(longest, float(lengths.max())), min(shortest, float(lengths.min()))
    speed = SWARM.control["speed"]
    yield TORUS.row(name, "longest step over speed", longest / speed, None, 1.0 + 1e-9)
    yield TORUS.row(name, "shortest step over speed", shortest / speed, 1.0 - 1e-9, None)


def zones(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    """Check that repulsion spreads a swarm, attraction gathers it, and inertia steadies headings."""
    distance = SWARM.metrics.index("nn_dist")
    alone = mean(_swarm(seeds, noise=TURN)[:, distance])
    for parameter, low, high in (("separation", 1.05, None), ("cohesion", None, 0.95)):
        ratio = mean(_swarm(seeds, noise=TURN, **{parameter: 2.0})[:, distance]) / alone
        what = f"distance to the nearest agent with {parameter} 2 over that without"
        yield ZONES.row(name, what, ratio, low, high)
    cosines = {
        name: _response(seeds, name, reach) for name, reach in (("cohesion", 1.0), ("separation", 0.4))
    }
    what = "least cosine of heading and mean offset of neighbours, attraction alone"
    yield ZONES.row(name, what, round(min(cosines["cohesion"]), 9), 1.0 - 1e-6, None)
    what = "largest cosine of heading and mean offset of near neighbours, repulsion alone"
    yield ZONES.row(name, what, round(max(cosines["separation"]), 9), None, -1.0 + 1e-6)
    turned = []
    for inertia in (0.0, 3.0):
        pairs = zip(
            *(_states(seeds, k, **PURE | {"inertia": inertia}, noise=0.1) for k in (0, 1)), strict=True
        )
        turned.append(math.fsum(2.0 * mean((a[1] * b[1]).ravel()) for a, b in pairs) / len(seeds))
    what = "mean cosine of the first turn with inertia 3 less that without"
    yield ZONES.row(name, what, turned[1] - turned[0], 0.05, None)


def _response(seeds: Sequence[int], parameter: str, reach: float) -> list[float]:
    """Return the cosines of first headings and mean offsets of neighbours within reach, with one interaction.

    Agents without such neighbours are left out.
    """
    alone = PURE | {"alignment": 0.0, "noise": 0.0} | {parameter: 1.0}
    cosines: list[float] = []
    for (places, _), (_, headings) in zip(*(_states(seeds, k, **alone) for k in (0, 1)), strict=True):
        offsets = places[:, None, :] - places[:, :, None]
        offsets = offsets - SIDE * np.floor(offsets / SIDE + 0.5)
        near = (offsets * offsets).sum(axis=0) < reach * reach
        sums = (offsets * near).sum(axis=2)
        lengths = np.sqrt((sums * sums).sum(axis=0))
        some = lengths > 1e-9
        cosines += ((headings * sums).sum(axis=0)[some] / lengths[some]).tolist()
    return cosines


def leaders(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    """Check that a few agents with a preferred direction lead the swarm, and more of them better."""
    along = []
    for share in LED:
        states = _states(seeds, 200, **PURE, noise=0.3, leaders=share)
        along.append(math.fsum(mean(h[0]) for _, h in states) / len(states))
    falls = sum(after <= before for before, after in pairwise(along))
    yield LEADERS.row(name, "steps of the share of leaders without a rise along x", float(falls), None, 0.0)
    yield LEADERS.row(name, "mean heading along x without leaders", along[0], -0.33, 0.33)
    yield LEADERS.row(name, f"mean heading along x with a share {LED[-1]} of leaders", along[-1], 0.5, None)


def torus(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    """Check places of random walkers, and that the torus has no edge for sums over neighbours."""
    n = SWARM.control["n_agents"]
    runs = _swarm(seeds, noise=1.0)
    ratio = mean(runs[:, SWARM.metrics.index("nn_dist")]) / (0.5 * SIDE / math.sqrt(n))
    yield PLACES.row(name, "distance to the nearest agent at noise 1 over theory", ratio, 0.97, 1.03)
    few = 40
    share = PI * LINK * LINK / (SIDE * SIDE)
    alone = float(few)
    for _ in range(few - 1):
        alone = alone * (1.0 - share)
    groups = mean(_swarm(seeds, noise=1.0, n_agents=few)[:, SWARM.metrics.index("groups")])
    # every link joins at most two groups, and agents with a link are at least two in a group
    low, high = few - 0.5 * few * (few - 1) * share, alone + 0.5 * (few - alone)
    spread = 4.0 * math.sqrt(few / len(seeds)) * share * few
    yield PLACES.row(name, f"groups of {few} agents at noise 1", groups, low - spread, high + spread)
    worst = 0.0
    for seed in seeds:
        plain, moved = (_sums(seed, shift) for shift in (0.0, SHIFT))
        worst = max(worst, float(np.abs(plain - moved).max()))
    yield TORUS.row(name, "largest change of a sum over neighbours when all agents shift", worst, None, 1e-9)


def _sums(seed: int, shift: float) -> np.ndarray:
    """Return the sums over the neighbours of each agent of a shifted initial state: float64 (7, n)."""
    swarm = simulation("swarm")
    (x, y), headings = swarm.final_state(vector(SWARM, {}), np.uint64(seed), 0)
    places = [np.where(axis + shift < SIDE, axis + shift, axis + shift - SIDE) for axis in (x, y)]
    n = headings.shape[1]
    padded = (n + swarm.VECTOR - 1) // swarm.VECTOR * swarm.VECTOR
    full = np.full((2, padded), swarm.FAR)
    full[0, :n], full[1, :n] = places
    sums = np.empty((7, n))
    flags, close = np.zeros(padded, np.uint8), np.zeros(padded + 1, np.int64)
    swarm.gather(full[0], full[1], headings[0].copy(), headings[1].copy(), 1.0, 0.16, sums, flags, close)
    return sums
