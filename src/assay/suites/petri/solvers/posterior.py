"""A Bayesian fit of a boundary: where a metric passes a level, from a few noisy means.

The metric follows a curve that passes the level with some slope and saturates on both sides:
`slope * width * tanh((x - boundary) / width)`, with a width for each side. The posterior of the boundary is a
sum over a grid of slopes and widths. Errors follow Student's t, since the standard deviation of a few runs is
vague.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from assay.numbers.kernels import kernel
from assay.numbers.portable import exp, log

PLACES = 100
"""Number of places of the boundary that are tried over the range."""

SLOPES = tuple(0.7 * 1.5**k for k in range(8))
"""Slopes at the boundary, in units of the largest distance from the level over the range."""

WIDTHS = (0.05, 0.1, 0.2, 0.4, 0.8)
"""Distances over which the curve saturates, as shares of the range."""

FREEDOM = 10.0
"""Degrees of freedom of the errors."""

MISFIT = 1.4
"""Errors are taken this many times as large, since no curve of this form fits a transition exactly. Without
it 90 % intervals held 79 % of 80 boundaries in tasks of other seeds."""

PRIOR_RUNS = 4.0
"""Weight of the common variance in that of one mean, in degrees of freedom."""


@kernel
def likelihoods(
    x: np.ndarray,
    y: np.ndarray,
    error: np.ndarray,
    places: np.ndarray,
    slopes: np.ndarray,
    widths: np.ndarray,
) -> np.ndarray:
    """Return the likelihood of each place, summed over slopes and widths: float64 (places,)."""
    out = np.zeros(places.size)
    for p in range(places.size):
        for slope in slopes:
            for before in widths:
                for after in widths:
                    total = 0.0
                    for i in range(x.size):
                        d = x[i] - places[p]
                        width = before if d < 0.0 else after
                        curve = slope * width * (1.0 - 2.0 / (1.0 + exp(2.0 * d / width)))
                        z = (y[i] - curve) / error[i]
                        total -= 0.5 * (FREEDOM + 1.0) * log(1.0 + z * z / FREEDOM)
                    out[p] += exp(total)
    return out


def quantiles(
    measured: Sequence[tuple[float, float, float, int]], span: tuple[float, float], wanted: Sequence[float]
) -> list[float]:
    """Return quantiles of the posterior of the boundary.

    Args:
        measured: For each measurement its value, the distance of the mean beyond the level (positive past the
            boundary), the standard deviation of the runs, and their number.
        span: The range of the boundary, over which the prior is uniform.
        wanted: The probabilities of the quantiles.
    """
    low, high = span
    x = np.array([(m[0] - low) / (high - low) for m in measured])
    variance = math.fsum(m[2] * m[2] for m in measured) / len(measured)
    scale = max(abs(m[1]) for m in measured) + math.sqrt(variance) or 1.0
    y = np.array([m[1] / scale for m in measured])
    spread = [
        math.sqrt(((m[3] - 1) * m[2] * m[2] + PRIOR_RUNS * variance) / (m[3] - 1 + PRIOR_RUNS) / m[3])
        for m in measured
    ]
    error = np.array([max(MISFIT * s / scale, 1e-3) for s in spread])
    places = (np.arange(PLACES) + 0.5) / PLACES
    weights = likelihoods(x, y, error, places, np.array(SLOPES), np.array(WIDTHS))
    total = math.fsum(weights.tolist())
    results, at, below = [], 0, 0.0
    for share in wanted:
        while at < PLACES - 1 and below + weights[at] < share * total:
            below += float(weights[at])
            at += 1
        inside = (share * total - below) / float(weights[at]) if weights[at] > 0.0 else 0.5
        results.append(low + (high - low) * (at + min(1.0, max(0.0, inside))) / PLACES)
    return results
