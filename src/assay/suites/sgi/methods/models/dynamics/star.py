"""The structure of a self-gravitating body, from its singular centre outwards."""

from __future__ import annotations

import math

from assay.suites.sgi.methods.support import Numbers, Picks, trajectory


def star(p: Numbers, pick: Picks) -> list[float]:
    """Potential theta at x, and -theta' at x/2 and x, over x."""
    g = 2.0 if pick["shape"] == "sphere" else 1.0

    def load(theta: float) -> float:
        if pick["pressure"] == "power":
            density = max(theta, 0.0) ** p["n"]
        else:
            density = math.exp(p["n"] * (theta - 1))
        return float(density - (p["v"] if pick["rotation"] == "rigid" else p["v"] * theta))

    # The series at the centre: theta = 1 - load(1)/(2 (g + 1)) x^2 + ...
    begin = 0.1 * p["x"] if pick["method"] in ("naive", "rough") else 1e-4 * p["x"]
    start = [1 - load(1.0) * begin**2 / (2 * (g + 1)), -load(1.0) * begin / (g + 1)]
    if pick["method"] == "rough":
        start = [1.0, 0.0]

    def slope(y: list[float], t: float) -> list[float]:
        return [y[1], -g / (t + begin) * y[1] - load(y[0])]

    half, end = trajectory(slope, start, [p["x"] / 2 - begin, p["x"] - begin], pick)
    return [end[0], -2 * half[1] / p["x"], -end[1] / p["x"]]
