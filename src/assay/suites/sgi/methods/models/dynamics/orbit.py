"""A planet on a disturbed orbit."""

from __future__ import annotations

import math

from assay.suites.sgi.methods.support import Numbers, Picks, trajectory


def orbit(p: Numbers, pick: Picks) -> list[float]:
    """Distances at half of the time and at the end, and 1 + speed^2/2 at the end."""
    near = pick["start"] == "nearest"
    r0 = 1 - p["e"] if near else 1 + p["e"]
    v0 = math.sqrt((1 + p["e"]) / (1 - p["e"]) if near else (1 - p["e"]) / (1 + p["e"]))

    def slope(z: list[float], t: float) -> list[float]:
        x, y, u, v = z
        r = math.hypot(x, y)
        more = p["eps"] / r**3 if pick["extra force"] == "cubic" else p["eps"] / r**4
        pull = (1 / r**2 + more) / r
        drag = p["d"] * math.hypot(u, v) if pick["drag"] == "quadratic" else p["d"]
        return [u, v, -pull * x - drag * u, -pull * y - drag * v]

    half, end = trajectory(slope, [r0, 0.0, 0.0, v0], [p["t"] / 2, p["t"]], pick)
    speed2 = end[2] ** 2 + end[3] ** 2
    return [math.hypot(half[0], half[1]), math.hypot(end[0], end[1]), 1 + speed2 / 2]
