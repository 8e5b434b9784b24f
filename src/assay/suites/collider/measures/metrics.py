"""Distances of yields from the reference: the benchmark's published metrics, each a function of two arrays.

`y` are the submitted yields and `r` those of the reference (events per bin, same length); `p` and `q` are the
same divided by their sums. A metric is None if it is not defined. Sums are exact (`math.fsum`) and logarithms
are those of `assay.numbers.portable`, so that values are the same on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.numbers.portable import log, log1p

Values = Sequence[float]

TAU = 0.33
"""A task counts as solved below this d, the worst of the paper's physicist-in-the-loop baseline."""

SAME_SHAPE = 1e-12
"""Total variation up to which shapes count as equal; the rounding errors of their bins are about 1e-16."""


def distance(y: Values, r: Values) -> float | None:
    """Return d = sqrt( sum (y - r)^2 / sum r^2 ), which is 1 for an empty answer.

    It is None if the lengths differ or all reference yields are 0.

    >>> distance([3.0, 1.0], [4.0, 3.0])
    0.4472135954999579
    """
    norm = math.fsum(value * value for value in r)
    if len(y) != len(r) or norm == 0:
        return None
    return math.sqrt(math.fsum((a - b) * (a - b) for a, b in zip(y, r, strict=True)) / norm)


def accepted(d: float | None, tau: float = TAU) -> bool:
    """Return Acc_tau of section 3.3 of the paper: whether d is strictly below tau."""
    return d is not None and d < tau


def shape(values: Values) -> list[float] | None:
    """Return the values divided by their sum; None if it is not positive."""
    total = math.fsum(values)
    return [value / total for value in values] if total > 0 else None


def shape_distance(y: Values, r: Values) -> float | None:
    """Return d of the shapes `p` and `q`."""
    shapes = _shapes(y, r)
    return None if shapes is None else distance(*shapes)


def norm_error(y: Values, r: Values) -> float | None:
    """Return delta_norm = |Y - R| / R with the sums Y and R."""
    total = math.fsum(r)
    return None if total == 0 else abs(math.fsum(y) - total) / total


def shape_error_pct(y: Values, r: Values) -> float | None:
    """Return the mean of |p - q| / q in percent, over the bins with q > 0."""
    shapes = _shapes(y, r)
    if shapes is None:
        return None
    errors = [abs(p - q) / q for p, q in zip(*shapes, strict=True) if q > 0]
    return 100 * math.fsum(errors) / len(errors) if errors else None


def rmsle(y: Values, r: Values) -> float | None:
    """Return the root of the mean squared difference of ln(1 + yield)."""
    if len(y) != len(r) or not r or min(*y, *r, 0.0) < 0:
        return None
    squares = [(log1p(a) - log1p(b)) ** 2 for a, b in zip(y, r, strict=True)]
    return math.sqrt(math.fsum(squares) / len(squares))


def total_variation(y: Values, r: Values) -> float | None:
    """Return d_bar, half the sum of |p - q|."""
    shapes = _shapes(y, r)
    return None if shapes is None else 0.5 * math.fsum(abs(p - q) for p, q in zip(*shapes, strict=True))


def largest_difference(y: Values, r: Values) -> float | None:
    """Return d_max, the largest |p - q|."""
    shapes = _shapes(y, r)
    return None if shapes is None else max(abs(p - q) for p, q in zip(*shapes, strict=True))


def concentration(y: Values, r: Values) -> float | None:
    """Return d_max / d_bar, between 2 / K and 1.

    It is 1 if a single bin has the whole excess or the whole deficit, and None if the shapes are equal up to
    rounding, because the ratio would be 0 / 0.
    """
    mean, largest = total_variation(y, r), largest_difference(y, r)
    return None if mean is None or largest is None or mean <= SAME_SHAPE else min(1.0, largest / mean)


def jensen_shannon(y: Values, r: Values) -> float | None:
    """Return the Jensen-Shannon divergence of the shapes in bits, from 0 to 1."""
    shapes = _shapes(y, r)
    if shapes is None:
        return None
    terms = []
    for p, q in zip(*shapes, strict=True):
        middle, half = (p + q) / 2, (p - q) / 2
        # The logarithm of bins near to each other is computed from their difference. The rounding of
        # p / middle and q / middle would leave about 1e-17 for equal shapes, and the distance is its root.
        near = abs(half) < middle / 2
        for x, apart in ((p, half), (q, -half)):
            if x > 0:
                terms.append(0.5 * x * (log1p(apart / middle) if near else log(x / middle)))
    return min(1.0, max(0.0, math.fsum(terms) / log(2.0)))


def likelihood_ratio_shape(y: Values, r: Values) -> float | None:
    """Return the likelihood ratio of the shapes (Baker and Cousins 1984).

    It is lambda = 2 sum y ln(y / (alpha r)) with alpha = Y / R. It is None if a total is not positive, or if
    the reference is 0 in a filled bin, where the ratio is infinite.
    """
    if len(y) != len(r) or math.fsum(y) <= 0 or math.fsum(r) <= 0:
        return None
    alpha = math.fsum(y) / math.fsum(r)
    if any(a > 0 and alpha * b <= 0 for a, b in zip(y, r, strict=True)):
        return None
    return max(0.0, 2 * math.fsum(a * log(a / (alpha * b)) for a, b in zip(y, r, strict=True) if a > 0))


def likelihood_ratio_norm(y: Values, r: Values) -> float | None:
    """Return the likelihood ratio of the totals (Baker and Cousins 1984): 2 (Y ln(Y / R) - (Y - R)).

    It is None if a total is not positive.
    """
    a, b = math.fsum(y), math.fsum(r)
    return max(0.0, 2 * (a * log(a / b) - (a - b))) if a > 0 and b > 0 else None


def likelihood_ratio(y: Values, r: Values) -> float | None:
    """Return the likelihood ratio of the yields (Baker and Cousins 1984): 2 sum (y ln(y / r) - (y - r)).

    It is the sum of the two above, and None if the reference is 0 in a filled bin.
    """
    if len(y) != len(r) or any(a > 0 and b <= 0 for a, b in zip(y, r, strict=True)):
        return None
    terms = [a * log(a / b) if a > 0 else 0.0 for a, b in zip(y, r, strict=True)]
    return 2 * math.fsum([*terms, *(b - a for a, b in zip(y, r, strict=True))])


def _shapes(y: Values, r: Values) -> tuple[list[float], list[float]] | None:
    p, q = shape(y), shape(r)
    return None if p is None or q is None or len(p) != len(q) else (p, q)
