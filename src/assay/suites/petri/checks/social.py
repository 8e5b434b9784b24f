"""Checks of `social` against the bounded confidence model of Deffuant et al.: clusters and consensus.

Where all opinions are within reach of each other, the equations for mean and variance are closed, so that
encounters, noise and media can be compared with exact results. The bounds are at least four standard errors
of 48 runs.
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
from assay.suites.petri.worlds import SOCIAL

DEFFUANT = Literature(
    "Deffuant et al. (2000), Adv. Complex Syst. 3, 87",
    "200 agents and 300 sweeps; clusters of up to 3 % of the agents do not count; opinions change by "
    "encounters alone, without the media and the noise of the control",
)
CONSENSUS = Literature("Fortunato (2004), Int. J. Mod. Phys. C 15, 1301", DEFFUANT.caveat)
MOMENTS = Literature(
    "Ben-Naim, Krapivsky and Redner (2003), Physica D 183, 190",
    "opinions lie so near that each agent hears every other; rates are those of a finite number of agents",
)
NOISE = Literature(
    "Pineda, Toral and Hernandez-Garcia (2009), J. Stat. Mech. P08001",
    "mutual influence is kept small, so that new opinions alone spread the agents",
)
MEDIA = Literature(
    "Carletti et al. (2006), Europhys. Lett. 74, 222",
    "the message is heard at random times, and by agents within twice the confidence bound",
)
INFLEXIBLE = Literature(
    "Galam and Jacobs (2007), Physica A 381, 366",
    "inflexible agents hold both extremes in equal number; the claim is that they prevent consensus",
)
LATTICE = Literature(
    "Weisbuch et al. (2002), Complexity 7, 55",
    "the neighbours of an agent lie on a ring and not on a square lattice; the claim is the direction",
)

PURE = {"media": 0.0, "noise": 0.0}
"""Only encounters, without media and noise."""

EPSILONS = (0.08, 0.1, 0.125, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
APART, TOGETHER = 0.2, 0.4
"""Confidence bounds that are too small for consensus, and large enough for it."""


def _clusters(seeds: Sequence[int], epsilon: float) -> np.ndarray:
    cells = replicates("social", SOCIAL.control | PURE | {"epsilon": epsilon}, seeds)
    counts: np.ndarray = cells[:, SOCIAL.metrics.index("clusters")]
    return counts


def _means(seeds: Sequence[int]) -> list[float]:
    return [mean(_clusters(seeds, epsilon)) for epsilon in EPSILONS]


def _line(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """Return slope and share of explained variance of a straight line fitted to y over x.

    Both are 0 if y is constant.
    """
    mean_x = math.fsum(x) / len(x)
    mean_y = math.fsum(y) / len(y)
    xx = math.fsum((a - mean_x) * (a - mean_x) for a in x)
    xy = math.fsum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    yy = math.fsum((b - mean_y) * (b - mean_y) for b in y)
    return xy / xx, xy * xy / (xx * yy) if yy else 0.0


def scaling(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    slope, share = _line([1.0 / (2.0 * epsilon) for epsilon in EPSILONS], _means(seeds))
    yield DEFFUANT.row(name, "slope of clusters over 1 / (2 epsilon)", slope, 0.75, 1.1)
    yield DEFFUANT.row(name, "share of variance that the line explains", share, 0.95, None)


def deviation(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    means = zip(EPSILONS, _means(seeds), strict=True)
    largest = max(abs(clusters - 1.0 / (2.0 * epsilon)) for epsilon, clusters in means)
    yield DEFFUANT.row(name, "largest distance of mean clusters from 1 / (2 epsilon)", largest, None, 1.0)


def falling(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    rises = sum(after > before for before, after in pairwise(_means(seeds)))
    yield DEFFUANT.row(name, "steps of epsilon with a rise of mean clusters", float(rises), None, 0.0)


def consensus(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    shares = {epsilon: mean(_clusters(seeds, epsilon) == 1.0) for epsilon in (APART, TOGETHER)}
    yield CONSENSUS.row(name, "share of runs in consensus at epsilon 0.2", shares[APART], None, 0.1)
    yield CONSENSUS.row(name, "share of runs in consensus at epsilon 0.4", shares[TOGETHER], 0.95, None)


NEAR = PURE | {"n_agents": 500, "spread": 0.2, "epsilon": 0.6}
"""All opinions within reach of each other."""
STRENGTHS = (0.1, 0.3, 0.5)
SWEEPS = 2


def _states(seeds: Sequence[int], sweeps: int, **changes: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the opinions of each run before and after some sweeps."""
    social = simulation("social")
    parameters = vector(SOCIAL, changes)
    states = []
    for seed in seeds:
        x, moves = np.empty(int(parameters[0])), np.empty(int(parameters[0]))
        social.start(parameters, np.uint64(seed), x, moves)
        before = x.copy()
        for step in range(sweeps):
            social.sweep(parameters, np.uint64(seed), step, x, moves)
        states.append((before, x))
    return states


def _moments(x: np.ndarray) -> tuple[float, float]:
    """Return mean and variance of opinions, from correctly rounded sums."""
    centre = mean(x)
    return centre, math.fsum((v - centre) * (v - centre) for v in x.tolist()) / len(x)


def conservation(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    """Check that encounters keep the mean opinion, and end where no two groups hear each other.

    The moments of the initial opinions are those of a uniform distribution.
    """
    width = 0.6
    uniform = np.array(seeds, dtype=np.uint64)
    starts = simulation("social").replicates(vector(SOCIAL, {"spread": width, "n_agents": 500}), uniform, 0)
    for metric, theory in (("polarization", width * width / 3.0), ("extremity", 0.5 * width)):
        ratio = mean(starts[:, SOCIAL.metrics.index(metric)]) / theory
        yield MOMENTS.row(name, f"{metric} of initial opinions over theory", ratio, 0.97, 1.03)
    drift, between, gaps = 0.0, 0, 0
    for before, after in _states(seeds, simulation("social").STEPS, **PURE):
        drift = max(drift, abs(_moments(after)[0] - _moments(before)[0]))
        steps = np.diff(np.sort(after))
        apart = steps[steps > 0.02]
        gaps += apart.size
        between += int((apart < SOCIAL.control["epsilon"]).sum())
    yield MOMENTS.row(name, "largest change of the mean opinion in a run", drift, None, 1e-9)
    share = between / max(1, gaps)
    yield DEFFUANT.row(name, "share of gaps between groups that are below epsilon", share, None, 0.1)


def decay(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    """Compare the decay of the variance with exp(-4 mu (1 - mu)) per sweep, for a finite number of agents."""
    n = NEAR["n_agents"]
    for mu in STRENGTHS:
        states = _states(seeds, SWEEPS, **NEAR, mu=mu)
        first, last = (math.fsum(_moments(state[k])[1] for state in states) for k in (0, 1))
        theory = n * SWEEPS * portable.log(1.0 - 4.0 * mu * (1.0 - mu) / (n - 1))
        ratio = portable.log(last / first) / theory
        yield MOMENTS.row(name, f"rate at which variance decays over theory at mu = {mu}", ratio, 0.95, 1.05)


def _never(chance: float, encounters: int) -> float:
    """Return the probability that an event does not happen in any of so many encounters."""
    left: float = portable.exp(encounters * portable.log(1.0 - chance))
    return left


def renewal(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    """Compare the variance with that of agents of whom a known share has a new opinion from U(0, 1)."""
    n, sweeps, noise, spread = 500, 20, 0.02, 0.2
    changes = {"n_agents": n, "spread": spread, "epsilon": 0.03, "mu": 0.02, "media": 0.0, "noise": noise}
    variance = math.fsum(_moments(x)[1] for _, x in _states(seeds, sweeps, **changes)) / len(seeds)
    old = _never(noise / n, n * sweeps)
    theory = (old * spread * spread + 1.0 - old) / 12.0
    yield NOISE.row(
        name, f"variance after {sweeps} sweeps of noise {noise} over theory", variance / theory, 0.95, 1.05
    )


def message(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    """Compare the approach of the mean opinion to a message, and check that one out of reach is not heard."""
    n, sweeps, media, mu, position = 500, 10, 0.2, 0.3, 0.9
    # the message lies beyond epsilon and within twice of it
    changes = NEAR | {"media": media, "media_pos": position, "mu": mu, "epsilon": 0.25}
    states = _states(seeds, sweeps, **changes)
    first, last = (math.fsum(position - _moments(state[k])[0] for state in states) for k in (0, 1))
    ratio = portable.log(last / first) / portable.log(_never(mu * media / n, n * sweeps))
    yield MEDIA.row(name, "rate of approach to a message over theory", ratio, 0.97, 1.03)
    deaf = _states(seeds, sweeps, **changes | {"epsilon": 0.15, "media_pos": 1.0})
    moved = max(abs(_moments(after)[0] - _moments(before)[0]) for before, after in deaf)
    yield MEDIA.row(name, "largest change of the mean by a message out of reach", moved, None, 1e-9)


def inflexible(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    """Check that inflexible agents prevent consensus, hold both extremes, and keep the mean where it is."""
    share = 0.1
    runs = replicates("social", SOCIAL.control | PURE | {"epsilon": TOGETHER, "stubborn": share}, seeds)
    agreed = mean(runs[:, SOCIAL.metrics.index("clusters")] == 1.0)
    yield INFLEXIBLE.row(name, f"share of runs in consensus at epsilon {TOGETHER}", agreed, None, 0.05)
    polarization = float(runs[:, SOCIAL.metrics.index("polarization")].min())
    yield INFLEXIBLE.row(
        name, "least polarization over the share of inflexible agents", polarization / share, 0.99, None
    )
    centre = mean(runs[:, SOCIAL.metrics.index("mean")])
    yield INFLEXIBLE.row(name, "mean opinion", centre, 0.45, 0.55)


def lattice(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    """Check that agents who meet only neighbours on a ring agree much later, and in more groups."""
    spreads = []
    for locality in (0.0, 1.0):
        states = _states(seeds, 10, **NEAR, locality=locality)
        spreads.append(math.fsum(_moments(x)[1] for _, x in states))
    yield LATTICE.row(
        name, "variance after 10 sweeps on a ring over that without", spreads[1] / spreads[0], 10.0, None
    )
    largest = SOCIAL.metrics.index("largest")
    shares = [
        mean(
            replicates("social", SOCIAL.control | PURE | {"epsilon": 0.3, "locality": place}, seeds)[
                :, largest
            ]
        )
        for place in (0.0, 1.0)
    ]
    yield LATTICE.row(
        name, "largest group on a ring over that without at epsilon 0.3", shares[1] / shares[0], None, 0.9
    )
