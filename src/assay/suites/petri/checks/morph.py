"""Checks of `morph` against the patterns of the Gray-Scott reaction: nothing, spots, labyrinths, uniform.

Feed 0.06 and kill 0.064 is not used to check washout because it is bistable: patterns survive from initial
squares of 5 cells but not from 2. The washout checks therefore lie well outside the region of patterns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from assay.protocol import CheckRow
from assay.suites.petri.checks.model import Literature
from assay.suites.petri.experiments.replicates import mean, replicates
from assay.suites.petri.worlds import MORPH

PEARSON = Literature(
    "Pearson (1993), Science 261, 189",
    "diffusion is rescaled to a grid of 96 x 96 unit cells, 2,500 steps: classes of patterns are compared, "
    "not their times or lengths",
)

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
