"""Where a signal came from, by least squares of arrival times."""

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

    sx, sy = [1.0, 9.0, 1.5, 8.5, 5.0, 0.5, 9.5], [1.0, 1.5, 9.0, 8.0, 0.5, 5.0, 5.5]
    x, y = 2 + 6 * stream.uniform(), 2 + 6 * stream.uniform()
    late = 0.4 * stream.uniform()
    sites = [(round(a + 0.4 * noise(), 3), round(b + 0.4 * noise(), 3)) for a, b in zip(sx, sy, strict=True)]
    times = [
        round(p["u"] * ((x - a) ** 2 + (y - b) ** 2 + p["h"] ** 2 / 2) ** 0.5 + late + p["s"] * noise(), 4)
        for a, b in sites
    ]
    return {"sx": [a for a, _ in sites], "sy": [b for _, b in sites], "times": times}


def source_location(p: Numbers, pick: Picks) -> list[float]:
    """The coordinates of the source, and one plus the root mean square of the weighted residuals."""
    sx, sy, times = (np.array(p[name]) for name in ("sx", "sy", "times"))
    depth = p["h"] if pick["depth"] == "buried" else 0.0
    weight = 1 / times if pick["errors"] == "relative" else np.ones(len(times))

    def residuals(place: np.ndarray) -> np.ndarray:
        gaps = times - p["u"] * np.sqrt((place[0] - sx) ** 2 + (place[1] - sy) ** 2 + depth**2 + 1e-12)
        if pick["clock"] == "unset":
            gaps = gaps - np.sum(weight**2 * gaps) / np.sum(weight**2)
        return np.asarray(weight * gaps)

    def squares(place: np.ndarray) -> float:
        return float(np.sum(residuals(place) ** 2))

    starts = [np.array([a, b]) for a in (2.5, 7.5) for b in (2.5, 7.5)]
    if pick["method"] == "right":
        found = [optimize.least_squares(residuals, s, xtol=1e-12, ftol=1e-12, gtol=1e-12).x for s in starts]
        best = min(found, key=squares)
    elif pick["method"] == "second":
        begin = min(
            (np.array([a, b]) for a in np.arange(0, 10.1, 0.5) for b in np.arange(0, 10.1, 0.5)), key=squares
        )
        tight = {"xatol": 1e-9, "fatol": 1e-18, "maxiter": 2000}
        best = optimize.minimize(squares, begin, method="Nelder-Mead", options=tight).x
        best = optimize.minimize(squares, best, method="Nelder-Mead", options=tight).x
    elif pick["method"] == "naive":
        grid = np.arange(0, 10.1, 0.5)
        best = min((np.array([a, b]) for a in grid for b in grid), key=squares)
    else:
        best = optimize.least_squares(residuals, [5.0, 5.0], max_nfev=2).x
    rms = np.sqrt(squares(best) / len(times))
    return [abs(float(best[0])), abs(float(best[1])), float(1 + rms)]
