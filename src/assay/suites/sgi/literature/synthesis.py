"""Random-effects regression on one moderator by restricted maximum likelihood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

NORMAL = 1.96
MOST_STEPS = 200


@dataclass(frozen=True)
class Record:
    """What one report brings into a synthesis.

    Attributes:
        source: the study, and `preprint` behind its name where that is the report.
        y: its value on the scale of pooling.
        se: its standard error on that scale.
        x: the moderator.
    """

    source: str
    y: float
    se: float
    x: float


@dataclass(frozen=True)
class Pooled:
    """The fitted value at a condition, its standard error, and the variance between studies."""

    value: float
    error: float
    between: float

    @property
    def limits(self) -> tuple[float, float]:
        """Normal 95 % limits of the fitted value."""
        return self.value - NORMAL * self.error, self.value + NORMAL * self.error


def pooled(records: Sequence[Record], at: float) -> Pooled:
    """Fit by Fisher scoring; the moderator is counted from `at`, so the intercept is the value asked for.

    Args:
        records: three or more, at two conditions or more.
        at: the condition that is asked for.

    Raises:
        ValueError: there are too few records or conditions.

    Example:
        >>> rows = [Record("a", 1.0, 0.1, 0), Record("b", 1.2, 0.1, 1), Record("c", 1.4, 0.1, 2)]
        >>> round(pooled(rows, 1.0).value, 6)
        1.2
    """
    if len(records) < 3 or len({record.x for record in records}) < 2:
        raise ValueError("a regression needs three records at two conditions")
    rows = [(record.y, record.se * record.se, record.x - at) for record in records]
    between = 0.0
    for _ in range(MOST_STEPS):
        weights = [1.0 / (variance + between) for _, variance, _ in rows]
        one = _moments(weights, rows)
        det = one[0] * one[2] - one[1] * one[1]
        a, b, d = one[2] / det, -one[1] / det, one[0] / det
        top, side = _sums(weights, rows)
        level, slope = a * top + b * side, b * top + d * side
        two = _moments([w * w for w in weights], rows)
        three = _moments([w * w * w for w in weights], rows)
        squares = sum(
            w * w * (y - level - slope * x) * (y - level - slope * x)
            for w, (y, _, x) in zip(weights, rows, strict=True)
        )
        # tr(P) and tr(PP) of the projection, from moments of the weights
        trace = one[0] - (a * two[0] + 2 * b * two[1] + d * two[2])
        m = (
            a * two[0] + b * two[1],
            a * two[1] + b * two[2],
            b * two[0] + d * two[1],
            b * two[1] + d * two[2],
        )
        curvature = (
            two[0]
            - 2 * (a * three[0] + 2 * b * three[1] + d * three[2])
            + m[0] * m[0]
            + 2 * m[1] * m[2]
            + m[3] * m[3]
        )
        step = max((squares - trace) / curvature, -between)
        between += step
        if abs(step) <= 1e-13 * (between + min(row[1] for row in rows)):
            break
    return Pooled(level, a**0.5, between)


def _moments(
    weights: Sequence[float], rows: Sequence[tuple[float, float, float]]
) -> tuple[float, float, float]:
    zero = first = second = 0.0
    for w, (_, _, x) in zip(weights, rows, strict=True):
        zero, first, second = zero + w, first + w * x, second + w * x * x
    return zero, first, second


def _sums(weights: Sequence[float], rows: Sequence[tuple[float, float, float]]) -> tuple[float, float]:
    top = side = 0.0
    for w, (y, _, x) in zip(weights, rows, strict=True):
        top, side = top + w * y, side + w * x * y
    return top, side
