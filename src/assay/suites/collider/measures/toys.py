"""The published goodness-of-fit test by toys (Baker and Cousins): a diagnostic that enters no table.

It follows the published recipe exactly, including NumPy's generator. With the few events of a signal region
it has almost no power: yields that are 30 % too high are called compatible.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

TOYS = 1_000_000
SEED = 0


def p_values(
    y: Sequence[float], r: Sequence[float], tolerance: float = 0.05, toys: int = TOYS
) -> tuple[float, float] | None:
    """Return the p values of shape and of norm; None if a total is not positive.

    Each toy scales every reference yield by exp(tolerance z), z standard normal, and draws a Poisson count;
    its statistics are computed as those of `y`. p = (toys at least as extreme + 1) / (toys + 1).
    """
    if math.fsum(y) <= 0 or math.fsum(r) <= 0:
        return None
    reference = np.array(r, dtype=np.float64)
    generator = np.random.default_rng(SEED)
    expected = reference * np.exp(tolerance * generator.standard_normal((toys, len(r))))
    drawn = generator.poisson(expected).astype(np.float64)
    seen = np.array([y], dtype=np.float64)
    shares = []
    for statistic in (_shape, _norm):
        at_least = int(np.count_nonzero(statistic(drawn, reference) >= statistic(seen, reference)[0]))
        shares.append((at_least + 1) / (toys + 1))
    return shares[0], shares[1]


def _shape(counts: NDArray[np.float64], r: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return lambda of the shape of each row; a row without events is compared at the nominal rate."""
    total = counts.sum(axis=1)
    alpha = np.where(total > 0, total / r.sum(), 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(counts > 0, counts * np.log(counts / (alpha[:, None] * r)), 0.0)
    statistic: NDArray[np.float64] = np.maximum(0.0, 2 * terms.sum(axis=1))
    return statistic


def _norm(counts: NDArray[np.float64], r: NDArray[np.float64]) -> NDArray[np.float64]:
    total, nominal = counts.sum(axis=1), r.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(total > 0, total * np.log(total / nominal), 0.0)
    statistic: NDArray[np.float64] = np.maximum(0.0, 2 * (logs - (total - nominal)))
    return statistic
