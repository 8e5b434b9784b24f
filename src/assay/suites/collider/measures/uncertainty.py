"""Measures with uncertainties, which complement d.

A bin has three known uncertainties: the error of the reference (published, or else due to its printed
digits), the relative error of the cross section, which is common to all bins, and the Monte Carlo statistics
of the submission, if its events are known. They tell whether a d of 0.15 is due to noise, to the rate or to a
wrong shape.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.numbers.draws import normal
from assay.numbers.kernels import kernel

REPLICATES = 1000
COVERAGE = 0.95


@dataclass(frozen=True)
class Errors:
    """Standard deviations of reference and submitted yields (events per bin), and of the rate (relative).

    `monte_carlo` is None if the submission has no events; it counts as 0 then.
    """

    reference: tuple[float, ...]
    cross_section: float = 0.0
    monte_carlo: tuple[float, ...] | None = None

    @property
    def independent(self) -> list[float]:
        """The variance of y - r in each bin, without the common error of the rate."""
        noise = self.monte_carlo or (0.0,) * len(self.reference)
        return [a * a + b * b for a, b in zip(self.reference, noise, strict=True)]


def floor(r: Sequence[float], errors: Errors) -> float | None:
    """Return the d that uncertainties alone would give: root of summed variances over root of sum r^2.

    It is None if all reference yields are 0.
    """
    norm = math.fsum(value * value for value in r)
    if norm == 0:
        return None
    rate = [(errors.cross_section * value) ** 2 for value in r]
    return math.sqrt(math.fsum([*errors.independent, *rate]) / norm)


def pull(y: Sequence[float], r: Sequence[float], errors: Errors) -> float | None:
    """Return sqrt(chi2 / K) of y - r with the covariance diag(independent) + (rate error)^2 r r^T.

    It is about 1 if only the uncertainties separate the two, and None if a bin has no uncertainty. The
    inverse of the covariance is that of Sherman and Morrison. It is evaluated as a sum of squares, of the
    residual in each bin after the best common shift and of the shift itself, since a difference of two large
    terms would lose the digits of small errors.
    """
    variance = errors.independent
    if not variance or min(variance) <= 0:
        return None
    rate = [errors.cross_section * value for value in r]
    gap = [a - b for a, b in zip(y, r, strict=True)]
    mixed = math.fsum(g * s / v for g, s, v in zip(gap, rate, variance, strict=True))
    common = math.fsum(s * s / v for s, v in zip(rate, variance, strict=True))
    shift = mixed / (1 + common)
    left = [(g - shift * s) ** 2 / v for g, s, v in zip(gap, rate, variance, strict=True)]
    chi2 = math.fsum([*left, shift * shift])
    return math.sqrt(chi2 / len(variance))


def interval(
    y: Sequence[float], r: Sequence[float], errors: Errors, seed: int, *, norm: bool = True
) -> tuple[float, float] | None:
    """Return a 95 % bootstrap interval of d; None if d is not defined.

    Each replicate draws reference, rate and submission anew within their errors (normal, not below zero); the
    denominator stays that of the reference. A distance cannot be negative, so near zero the interval lies
    above the estimate: compare it with `floor`.

    Args:
        y: the submitted yields, events per bin.
        r: the reference yields.
        errors: their uncertainties.
        seed: the seed of the draws.
        norm: whether totals count; otherwise d is that of the shapes.
    """
    if math.fsum(value * value for value in r) == 0 or (
        not norm and (math.fsum(y) <= 0 or math.fsum(r) <= 0)
    ):
        return None
    noise = errors.monte_carlo or (0.0,) * len(r)
    drawn = np.empty(REPLICATES)
    first, second, third, fourth = (np.array(v, dtype=np.float64) for v in (y, r, errors.reference, noise))
    _replicates(np.uint64(seed), first, second, third, fourth, errors.cross_section, norm, drawn)
    drawn.sort()
    outside = round(REPLICATES * (1 - COVERAGE) / 2)
    return float(drawn[outside]), float(drawn[REPLICATES - 1 - outside])


@kernel
def _replicates(
    key: np.uint64,
    y: np.ndarray,
    r: np.ndarray,
    reference: np.ndarray,
    noise: np.ndarray,
    rate: float,
    norm: bool,
    out: np.ndarray,
) -> None:
    """Fill `out` (replicates,) with distances of redrawn arrays; the other arrays are float64 (K,)."""
    n = y.size
    first, second = np.empty(n), np.empty(n)
    each = 2 * n + 1
    total = 0.0
    for k in range(n):
        total += r[k]
    below = 0.0
    for k in range(n):
        below += r[k] * r[k] if norm else (r[k] / total) * (r[k] / total)
    for replicate in range(out.size):
        start = replicate * each
        scale = 1.0 + rate * normal(key, np.uint64(start))
        total_first, total_second = 0.0, 0.0
        for k in range(n):
            first[k] = max(0.0, y[k] + noise[k] * normal(key, np.uint64(start + 1 + k)))
            second[k] = max(0.0, scale * r[k] + reference[k] * normal(key, np.uint64(start + 1 + n + k)))
            total_first += first[k]
            total_second += second[k]
        above = 0.0
        for k in range(n):
            a, b = first[k], second[k]
            if not norm:
                a = a / total_first if total_first > 0 else 0.0
                b = b / total_second if total_second > 0 else 0.0
            above += (a - b) * (a - b)
        out[replicate] = math.sqrt(above / below)
