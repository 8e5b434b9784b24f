"""The precision of printed numbers, from their digits. Most numbers here were read from a text."""

from __future__ import annotations

import math
from collections.abc import Sequence

FULL = 10
"""From so many decimals on a number counts as not rounded."""


def decimals(value: float) -> int:
    """Return the decimals of the shortest text that reads back to the number; 0 for a whole number."""
    text = repr(float(value))
    mantissa, _, exponent = text.partition("e")
    return max(0, len(mantissa.partition(".")[2].rstrip("0")) - int(exponent or 0))


def resolution(values: Sequence[float]) -> float:
    """Return the largest error by rounding of numbers that were printed alike.

    It is half a unit of the last decimal of the most precise one, and 0 from `FULL` decimals on.

    >>> round(resolution([1.25, 3.5]), 4)
    0.005
    """
    most = 0
    for value in values:
        most = max(most, decimals(value))
        if most >= FULL:
            return 0.0
    return 0.5000001 * 10.0**-most if len(values) else 0.0


def half_unit(value: float, series: Sequence[float]) -> float:
    """Half a unit of the last decimal of one number of a series; where it has none, of the series."""
    return max(resolution(series), resolution([value]) if decimals(value) else 0.0)


def printed_resolution(values: Sequence[float]) -> tuple[float, ...]:
    """The standard error by rounding of each value: half a unit of its last printed digit over the root of 3.

    A value printed without decimals next to others with decimals (a zero) has the digits of the others.
    """
    places = [decimals(value) for value in values]
    most = max(places, default=0)
    used = [most if value == 0 else place for value, place in zip(values, places, strict=True)]
    return tuple(0.5 * 10.0**-place / math.sqrt(3.0) for place in used)
