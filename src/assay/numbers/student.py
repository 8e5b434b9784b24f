"""Student's t distribution, with the same bits on every processor.

Probabilities are regularised incomplete beta functions, evaluated by their continued fraction (DLMF 8.17.22).
They agree with SciPy to 1e-10.
"""

from __future__ import annotations

import math

TINY = 1e-300


def two_sided(t: float, freedom: float) -> float:
    """Return the probability that |T| exceeds |t| for Student's T.

    Args:
        t: The statistic; may be infinite.
        freedom: The degrees of freedom, at least 1; they need not be whole.

    Returns:
        I_x(freedom / 2, 1 / 2) with x = freedom / (freedom + t^2) (Abramowitz and Stegun 1964, 26.7.1).

    Example:
        >>> round(two_sided(2.228138851964939, 10), 9)
        0.05
    """
    if math.isinf(t):
        return 0.0
    x = freedom / (freedom + t * t)
    return _incomplete_beta(x, freedom)


def quantile(p: float, freedom: float) -> float:
    """Return the t >= 0 with `two_sided(t, freedom) == p`: the half width of an interval in standard errors.

    Args:
        p: The two-sided probability in (0, 1), 0.05 for an interval of 95 %.
        freedom: The degrees of freedom, at least 1; they need not be whole.

    Example:
        >>> round(quantile(0.05, 10), 9)
        2.228138852
    """
    low, high = 0.0, 1.0
    while two_sided(high, freedom) > p:
        high *= 2.0
    for _ in range(80):
        middle = (low + high) / 2.0
        if two_sided(middle, freedom) > p:
            low = middle
        else:
            high = middle
    return high


def _incomplete_beta(x: float, freedom: float) -> float:
    """Return I_x(freedom / 2, 1 / 2)."""
    a, b = freedom / 2.0, 0.5
    if x <= 0.0 or x >= 1.0:
        return 0.0 if x <= 0.0 else 1.0
    front = _power(x, freedom) * math.sqrt(1.0 - x) / _beta(a)
    if x < (a + 1.0) / (a + b + 2.0):
        return front * _fraction(x, a, b) / a
    return 1.0 - front * _fraction(1.0 - x, b, a) / b


def _beta(a: float) -> float:
    """Return B(a, 1 / 2): asymptotic for large a (DLMF 5.11.13), by recursion for others."""
    factor = 1.0
    while a < 200.0:
        factor *= (a + 0.5) / a
        a += 1.0
    series = 1.0 + (0.125 + (0.0078125 - (0.0048828125 + 0.000640869140625 / a) / a) / a) / a
    return factor * math.sqrt(math.pi / a) * series


def _power(x: float, freedom: float) -> float:
    """Return x ** (freedom / 2); the C library's `pow` differs between machines."""
    if freedom != int(freedom):
        from assay.numbers import portable  # here, because whole degrees of freedom need no compiled code

        return float(portable.exp(freedom / 2.0 * portable.log(x)))
    result, base, exponent = 1.0, math.sqrt(x), int(freedom)
    while exponent:  # repeated squaring
        if exponent & 1:
            result *= base
        base *= base
        exponent >>= 1
    return result


def _fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction of the incomplete beta function by Lentz's algorithm."""
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > TINY else TINY)
    value = d
    for m in range(1, 10_000):
        for step in (
            m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0)),
        ):
            d = 1.0 + step * d
            d = 1.0 / (d if abs(d) > TINY else TINY)
            c = 1.0 + step / c
            c = c if abs(c) > TINY else TINY
            value *= d * c
        if abs(d * c - 1.0) < 1e-16:
            break
    return value
