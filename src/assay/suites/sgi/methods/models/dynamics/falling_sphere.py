"""A sphere that sinks in a fluid."""

from __future__ import annotations

import math

from assay.suites.sgi.methods.support import Numbers, Picks, trajectory


def falling_sphere(p: Numbers, pick: Picks) -> list[float]:
    """Depths at half of the time and at the end, in units of 1/b."""
    inertia = 1 + p["rho"] / 2 if pick["inertia"] == "with fluid" else 1.0

    def slope(y: list[float], t: float) -> list[float]:
        if pick["flow"] == "swinging":
            speed = y[1] - p["w"] * math.sin(p["omega"] * t)
        else:
            speed = y[1] - p["w"] * (1 - math.exp(-p["omega"] * t))
        drag = p["b"] * speed if pick["drag"] == "linear" else p["b"] * speed * abs(speed)
        return [y[1], (p["g"] * (1 - p["rho"]) - drag) / inertia]

    half, end = trajectory(slope, [0.0, 0.0], [p["t"] / 2, p["t"]], pick)
    return [p["b"] * half[0], p["b"] * end[0]]
