"""A calibration line through points with errors."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize

from assay.numbers.rng import Stream
from assay.suites.sgi.methods.support import Numbers, Picks


def prepare(p: Numbers, stream: Stream) -> dict[str, Any]:
    """Data of an instance; a sum of twelve uniform draws is noise enough."""

    def noise() -> float:
        return sum(stream.uniform() for _ in range(12)) - 6

    x = [0.5 + 0.6 * i for i in range(9)]
    slope, offset = 0.5 + stream.uniform(), 0.2 + 0.4 * stream.uniform()
    return {
        "x": [round(v + p["sx"] * noise(), 4) for v in x],
        "y": [round(offset + slope * v + p["sy"] * noise(), 4) for v in x],
    }


def straight_line(p: Numbers, pick: Picks) -> list[float]:
    """The slope, the line at x0, and chi-squared over the number of points."""
    x, y = np.array(p["x"]), np.array(p["y"])
    sy = np.full(len(y), p["sy"]) if pick["errors"] == "constant" else p["sy"] * np.maximum(np.abs(y), 0.1)
    sx = p["sx"] if pick["abscissa"] == "with errors" else 0.0
    free = pick["origin"] == "free"

    def offset(b: float) -> float:
        w = 1 / (sy**2 + (b * sx) ** 2)
        return float(np.sum(w * (y - b * x)) / np.sum(w)) if free else 0.0

    def chi2(b: float) -> float:
        return float(np.sum((y - offset(b) - b * x) ** 2 / (sy**2 + (b * sx) ** 2)))

    if pick["method"] == "right":
        start = min(np.linspace(0.05, 4, 80), key=chi2)
        step = 1e-4

        def rise(b: float) -> float:
            return (chi2(b - 2 * step) - 8 * chi2(b - step) + 8 * chi2(b + step) - chi2(b + 2 * step)) / step

        b = float(optimize.brentq(rise, start - 0.05, start + 0.05, xtol=1e-13))
        a, least = offset(b), chi2(b)
    elif pick["method"] == "second":
        # The true abscissae are parameters, too.
        def gaps(v: np.ndarray) -> np.ndarray:
            line = v[0] + v[1] * (v[2:] if sx else x) if free else v[1] * (v[2:] if sx else x)
            parts = [(y - line) / sy, (x - v[2:]) / sx if sx else v[2:] * 0]
            return np.concatenate([*parts, [0.0 if free else v[0]]])

        done = optimize.least_squares(gaps, [0.1, 1.0, *x], xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=2000)
        a, b, least = float(done.x[0]) if free else 0.0, float(done.x[1]), 2 * float(done.cost)
    elif pick["method"] == "naive":
        b, a = (float(v) for v in np.polyfit(x, y, 1))
        least = chi2(b)
    else:
        b = float(np.mean(np.diff(y) / np.diff(x)))
        a, least = float(np.mean(y - b * x)), chi2(b)
    return [abs(b), abs(a + b * p["x0"]), least / len(x)]
