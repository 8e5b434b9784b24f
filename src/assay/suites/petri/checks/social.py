"""Checks of `social` against the bounded confidence model of Deffuant et al.: clusters and consensus."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from assay.protocol import CheckRow
from assay.suites.petri.checks.model import Literature
from assay.suites.petri.experiments.replicates import mean, replicates
from assay.suites.petri.worlds import SOCIAL

DEFFUANT = Literature(
    "Deffuant et al. (2000), Adv. Complex Syst. 3, 87",
    "200 agents and 300 sweeps; clusters of up to 3 % of the agents do not count; opinions change by "
    "encounters alone, without the media and the noise of the control",
)
CONSENSUS = Literature("Fortunato (2004), Int. J. Mod. Phys. C 15, 1301", DEFFUANT.caveat)

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
