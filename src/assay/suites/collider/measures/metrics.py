"""Distances of yields from the reference: the benchmark's published metrics, each a function of two arrays.

`y` are submitted yields, `r` those of the reference (events per bin, same length), `p` and `q` the same
divided by their sums. A metric is None where it is not defined. Sums are exact (`math.fsum`), logarithms
those of `assay.numbers.portable`, so that the values are the same on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.numbers.portable import log, log1p

Values = Sequence[float]

TAU = 0.33
"""Below this distance a task counts as solved: the worst one that physicists with a model at hand reached."""

SAME_SHAPE = 1e-12
"""Shapes this near to each other differ by rounding alone: their bins are quotients with errors of 1e-16."""


def distance(y: Values, r: Values) -> float | None:
    """Return d = sqrt( sum (y - r)^2 / sum r^2 ), from 0; 1 for an empty answer.

    >>> distance([3.0, 1.0], [4.0, 3.0])
    0.4472135954999579
    """
    norm = math.fsum(value * value for value in r)
    if len(y) != len(r) or norm == 0:
        return None
    return math.sqrt(math.fsum((a - b) * (a - b) for a, b in zip(y, r, strict=True)) / norm)


def accepted(d: float | None, tau: float = TAU) -> bool:
    """Acc_tau of section 3.3: whether d lies below tau, strictly."""
    return d is not None and d < tau


def shape(values: Values) -> list[float] | None:
    """The values divided by their sum; None where that is not positive."""
    total = math.fsum(values)
    return [value / total for value in values] if total > 0 else None


def shape_distance(y: Values, r: Values) -> float | None:
    """d of the two shapes."""
    shapes = _shapes(y, r)
    return None if shapes is None else distance(*shapes)


def norm_error(y: Values, r: Values) -> float | None:
    """delta_norm = |Y - R| / R with the sums Y and R."""
    total = math.fsum(r)
    return None if total == 0 else abs(math.fsum(y) - total) / total


def shape_error_pct(y: Values, r: Values) -> float | None:
    """Mean of |p - q| / q in percent, over the bins with q > 0."""
    shapes = _shapes(y, r)
    if shapes is None:
        return None
    errors = [abs(p - q) / q for p, q in zip(*shapes, strict=True) if q > 0]
    return 100 * math.fsum(errors) / len(errors) if errors else None


def rmsle(y: Values, r: Values) -> float | None:
    """Root of the mean squared difference of ln(1 + yield)."""
    if len(y) != len(r) or not r or min(*y, *r, 0.0) < 0:
        return None
    squares = [(log1p(a) - log1p(b)) ** 2 for a, b in zip(y, r, strict=True)]
    return math.sqrt(math.fsum(squares) / len(squares))


def total_variation(y: Values, r: Values) -> float | None:
    """d_bar = half the sum of |p - q|."""
    shapes = _shapes(y, r)
    return None if shapes is None else 0.5 * math.fsum(abs(p - q) for p, q in zip(*shapes, strict=True))


def largest_difference(y: Values, r: Values) -> float | None:
    """d_max = the largest |p - q|."""
    shapes = _shapes(y, r)
    return None if shapes is None else max(abs(p - q) for p, q in zip(*shapes, strict=True))


def concentration(y: Values, r: Values) -> float | None:
    """d_max / d_bar, between 2 / K and 1: 1 where one bin holds half of what is misplaced.

    Null where nothing is misplaced: 0 / 0, or what rounding makes of it.
    """
    mean, largest = total_variation(y, r), largest_difference(y, r)
    return None if mean is None or largest is None or mean <= SAME_SHAPE else min(1.0, largest / mean)


def jensen_shannon(y: Values, r: Values) -> float | None:
    """The Jensen-Shannon divergence of the shapes in bits, from 0 to 1."""
    shapes = _shapes(y, r)
    if shapes is None:
        return None
    terms = []
    for p, q in zip(*shapes, strict=True):
        middle, half = (p + q) / 2, (p - q) / 2
        # Of bins near to each other only what they differ by: logarithms of p / middle and q / middle, each
        # rounded, would leave 1e-17 of equal shapes, and their square root is 1e-9.
        near = abs(half) < middle / 2
        for x, apart in ((p, half), (q, -half)):
            if x > 0:
                terms.append(0.5 * x * (log1p(apart / middle) if near else log(x / middle)))
    return min(1.0, max(0.0, math.fsum(terms) / log(2.0)))


def likelihood_ratio_shape(y: Values, r: Values) -> float | None:
    """Baker and Cousins (1984): lambda = 2 sum y ln(y / (alpha r)), alpha = Y / R; None with an empty total.

    Null, too, where the reference is 0 in a bin that is filled: the ratio is infinite there.
    """
    if len(y) != len(r) or math.fsum(y) <= 0 or math.fsum(r) <= 0:
        return None
    alpha = math.fsum(y) / math.fsum(r)
    if any(a > 0 and alpha * b <= 0 for a, b in zip(y, r, strict=True)):
        return None
    return max(0.0, 2 * math.fsum(a * log(a / (alpha * b)) for a, b in zip(y, r, strict=True) if a > 0))


def likelihood_ratio_norm(y: Values, r: Values) -> float | None:
    """Baker and Cousins for the totals: 2 (Y ln(Y / R) - (Y - R)); None with an empty total."""
    a, b = math.fsum(y), math.fsum(r)
    return max(0.0, 2 * (a * log(a / b) - (a - b))) if a > 0 and b > 0 else None


def likelihood_ratio(y: Values, r: Values) -> float | None:
    """Baker and Cousins for the yields: 2 sum (y ln(y / r) - (y - r)), the sum of the two above."""
    if len(y) != len(r) or any(a > 0 and b <= 0 for a, b in zip(y, r, strict=True)):
        return None
    terms = [a * log(a / b) if a > 0 else 0.0 for a, b in zip(y, r, strict=True)]
    return 2 * math.fsum([*terms, *(b - a for a, b in zip(y, r, strict=True))])


def _shapes(y: Values, r: Values) -> tuple[list[float], list[float]] | None:
    p, q = shape(y), shape(r)
    return None if p is None or q is None or len(p) != len(q) else (p, q)
