"""Checks of `morph` against the patterns of the Gray-Scott reaction: nothing, spots, labyrinths, uniform.

Feed 0.06 and kill 0.064 is not used to check washout because it is bistable: patterns survive from initial
squares of 5 cells but not from 2. The washout checks therefore lie well outside the region of patterns.
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
from assay.suites.petri.worlds import MORPH

PEARSON = Literature(
    "Pearson (1993), Science 261, 189",
    "diffusion is rescaled to a grid of 96 x 96 unit cells, 2,500 steps: classes of patterns are compared, "
    "not their times or lengths",
)
STEADY = Literature(
    "Gray and Scott (1984), Chem. Eng. Sci. 39, 1087",
    "the upper of the two states without diffusion in which all rates vanish, where it is stable",
)
DIFFUSION = Literature(
    "Crank (1975), The mathematics of diffusion, 2nd ed.",
    "on a grid of 96 cells a wave of 24 cells decays by 0.6 % less than in a continuum",
)
REPLICATION = Literature(
    "Reynolds, Pearson and Ponce-Dawson (1994), Phys. Rev. Lett. 72, 2797", PEARSON.caveat
)
ORIGIN = Literature("Pearson (1993), Science 261, 189", "the initial state, which is known exactly")

LEAST = 12
SHARE = 4
KILLS = (0.055, 0.058, 0.06, 0.062, 0.064)
FEED = 0.035
BLOBS, COVERAGE, MEAN_V, _, LARGEST = range(5)


def _runs(seeds: Sequence[int], feed: float, kill: float) -> np.ndarray:
    """Return the metrics of the control with this feed and kill, one row per seed, for some of the seeds.

    Runs are long and vary little, so a quarter of the seeds suffices, but at least 12.
    """
    some = seeds[: max(LEAST, len(seeds) // SHARE)]
    return replicates("morph", MORPH.control | {"feed": feed, "kill": kill}, some)


def washout(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    v = mean(_runs(seeds, 0.02, 0.065)[:, MEAN_V])
    yield PEARSON.row(name, "mean v at feed 0.02, kill 0.065", v, None, 1e-3)


def starved(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    v = float(_runs(seeds, 0.01, 0.06)[:, MEAN_V].max())
    yield PEARSON.row(name, "largest mean v at feed 0.01, kill 0.06", v, None, 1e-3)


def uniform(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    coverage = mean(_runs(seeds, 0.03, 0.05)[:, COVERAGE])
    yield PEARSON.row(name, "coverage at feed 0.03, kill 0.05", coverage, 0.95, None)


def spots(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    runs = _runs(seeds, 0.03, 0.062)
    yield PEARSON.row(name, "blobs at feed 0.03, kill 0.062", mean(runs[:, BLOBS]), 40.0, None)
    yield PEARSON.row(name, "largest piece at feed 0.03, kill 0.062", mean(runs[:, LARGEST]), None, 0.1)


def labyrinth(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    runs = _runs(seeds, 0.04, 0.06)
    yield PEARSON.row(name, "blobs at feed 0.04, kill 0.06", mean(runs[:, BLOBS]), None, 8.0)
    yield PEARSON.row(name, "coverage at feed 0.04, kill 0.06", mean(runs[:, COVERAGE]), 0.4, 0.75)
    yield PEARSON.row(name, "largest piece at feed 0.04, kill 0.06", mean(runs[:, LARGEST]), 0.4, None)


def falling(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    coverages = [mean(_runs(seeds, FEED, kill)[:, COVERAGE]) for kill in KILLS]
    rises = sum(after >= before for before, after in pairwise(coverages))
    what = f"steps of kill from {KILLS[0]} to {KILLS[-1]} at feed {FEED} without a fall of coverage"
    yield PEARSON.row(name, what, float(rises), None, 0.0)


def breaking(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    for kill, low, high in ((KILLS[0], 0.95, None), (KILLS[-1], None, 0.1)):
        largest = mean(_runs(seeds, FEED, kill)[:, LARGEST])
        yield PEARSON.row(name, f"largest piece at feed {FEED}, kill {kill}", largest, low, high)


UNIFORM = ((0.03, 0.05), (0.04, 0.05))
WAVES, TIMES = 4, 200
PI = 3.141592653589793


def steady(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    """Compare the uniform state with the solution of u v v = (feed + kill) v and feed (1 - u) = u v v."""
    for feed, kill in UNIFORM:
        loss = feed + kill
        v = feed / (2.0 * loss) * (1.0 + math.sqrt(1.0 - 4.0 * loss * loss / feed))
        ratio = mean(_runs(seeds, feed, kill)[:, MEAN_V]) / v
        yield STEADY.row(name, f"mean v over theory at feed {feed}, kill {kill}", ratio, 0.99, 1.01)


def diffusion(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    """Compare the decay of waves of one substance, without the other and without feed, with exp(-D q q t)."""
    q = 2.0 * PI * WAVES / 96
    for substance, plane in (("u", 0), ("v", 1)):
        for direction, (i, j) in (("rows", (1, 0)), ("columns", (0, 1)), ("diagonals", (1, 1))):
            first, last = (_wave(plane, i, j, steps) for steps in (0, TIMES))
            constant = MORPH.control[f"d{substance}"]
            ratio = -portable.log(last / first) / (constant * (i + j) * q * q * TIMES)
            what = f"decay of a wave of {substance} across {direction} over theory"
            yield DIFFUSION.row(name, what, ratio, 0.98, 1.02)


def _wave(plane: int, i: int, j: int, steps: int) -> float:
    """Return the amplitude of a wave of one substance after some steps of diffusion alone."""
    morph = simulation("morph")
    phases = 2 * WAVES * (i * np.arange(96)[:, None] + j * np.arange(96)[None, :])
    wave = np.array([portable.sincos(PI * k / 96)[1] for k in range(2 * 96)])[phases % (2 * 96)]
    state = np.zeros(2 * morph.PLANE, np.float32)
    fields = state.reshape(2, morph.WIDTH, morph.WIDTH)
    fields[plane, 1:-1, 1:-1] = 1.0 + 0.5 * wave
    after = np.zeros_like(state)
    du, dv = (np.float32(MORPH.control[f"d{substance}"]) for substance in "uv")
    zero = np.float32(0.0)
    for _ in range(steps):
        morph.wrap(state)
        morph.react(state, after, zero, zero, du, dv)
        state, after = after, state
    values = state.reshape(2, morph.WIDTH, morph.WIDTH)[plane, 1:-1, 1:-1].astype(np.float64)
    return 2.0 * mean((values * wave).ravel())


def replication(name: str, seeds: Sequence[int]) -> Iterable[CheckRow]:
    """Check that few spots become many, and that the initial state is one of squares in a uniform state."""
    some = seeds[: max(LEAST, len(seeds) // SHARE)]
    blobs = replicates("morph", MORPH.control | {"feed": 0.03, "kill": 0.062, "n_spots": 2}, some)[:, BLOBS]
    yield REPLICATION.row(
        name, "fewest blobs that became of 2 spots at feed 0.03, kill 0.062", float(blobs.min()), 8.0, None
    )
    morph = simulation("morph")
    parameters = vector(MORPH, {"n_spots": 1, "spot_size": 5, "noise": 0.0})
    state = morph.evolved(parameters, np.uint64(seeds[0]), 0).reshape(2, morph.WIDTH, morph.WIDTH)
    lost, gained = ((1.0 - state[0, 1:-1, 1:-1]).sum(), state[1, 1:-1, 1:-1].sum())
    yield ORIGIN.row(
        name, "u that a square of 5 cells lacks at the start, over 12.5", float(lost) / 12.5, 1.0, 1.0
    )
    yield ORIGIN.row(name, "v of a square of 5 cells at the start, over 6.25", float(gained) / 6.25, 1.0, 1.0)
    square = vector(MORPH, {"n_spots": 1, "spot_size": 3, "noise": 0.0})
    start = morph.replicates(square, np.array(seeds[:1], dtype=np.uint64), 0)[0]
    exact = {
        "blobs": 1.0,
        "coverage": 9 / 96 / 96,
        "mean_v": 0.25 * 9 / 96 / 96,
        "perimeter": 12.0,
        "largest": 1.0,
    }
    off = max(abs(start[MORPH.metrics.index(metric)] / value - 1.0) for metric, value in exact.items())
    yield ORIGIN.row(
        name, "largest relative error of a metric of a square of 3 cells", float(off), None, 1e-9
    )
