"""Growth in a chemostat."""

from __future__ import annotations

import math

from assay.suites.sgi.methods.support import Numbers, Picks, trajectory


def chemostat(p: Numbers, pick: Picks) -> list[float]:
    """Biomass at half of the time and at the end, and all matter at the end."""

    def slope(y: list[float], t: float) -> list[float]:
        s, x = max(y[0], 0.0), y[1]
        inhibited = s * s / p["ki"] if pick["growth"] == "inhibited" else 0.0
        growth = p["m"] * s / (p["k"] + s + inhibited) * x
        feed = p["sf"]
        if pick["feed"] == "pulsed":
            feed = feed * (1 + 0.8 * math.sin(2 * math.pi * t / p["period"]))
        lost = p["kd"] * x
        if pick["upkeep"] == "death":
            change = [p["d"] * (feed - s) - growth, growth - p["d"] * x - lost]
        else:
            change = [p["d"] * (feed - s) - growth - lost * s / (p["k"] + s), growth - p["d"] * x]
        return change

    half, end = trajectory(slope, [p["sf"], p["x0"]], [p["t"] / 2, p["t"]], pick)
    return [half[1], end[1], end[0] + end[1]]
