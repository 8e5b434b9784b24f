"""The precision of printed numbers, inferred from their digits."""

from __future__ import annotations

import math
from collections.abc import Sequence

FULL = 10
"""Numbers with this many decimals or more count as not rounded."""


def decimals(value: float) -> int:
    """Return the number of decimals of the shortest text that reads back to the value; 0 for an integer."""
    text = repr(float(value))
    mantissa, _, exponent = text.partition("e")
    return max(0, len(mantissa.partition(".")[2].rstrip("0")) - int(exponent or 0))


def resolution(values: Sequence[float]) -> float:
    """Return the largest rounding error of numbers that were printed in the same format.

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
    """Return the larger of two rounding errors: that of a series, and that of one of its numbers.

    Each is half a unit of the last decimal. A number without decimals has that of the series.
    """
    return max(resolution(series), resolution([value]) if decimals(value) else 0.0)


def printed_resolution(values: Sequence[float]) -> tuple[float, ...]:
    """Return the standard error of each value by rounding: half a unit of its last digit over the root of 3.

    A zero has the decimals of the most precise value.
    """
    places = [decimals(value) for value in values]
    most = max(places, default=0)
    used = [most if value == 0 else place for value, place in zip(values, places, strict=True)]
    return tuple(0.5 * 10.0**-place / math.sqrt(3.0) for place in used)
