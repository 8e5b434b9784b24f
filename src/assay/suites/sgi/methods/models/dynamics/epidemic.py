"""An epidemic with a latent stage and seasons."""

from __future__ import annotations

import math

from assay.suites.sgi.methods.support import Numbers, Picks, trajectory


def epidemic(p: Numbers, pick: Picks) -> list[float]:
    """Ten times the immune share at half of the time and at the end, and the susceptible one at the end."""

    def slope(y: list[float], t: float) -> list[float]:
        s, e, i = y
        phase = 2 * math.pi * t / p["year"]
        season = 1 + p["amp"] * (math.cos(phase) if pick["season"] == "at its peak" else math.sin(phase))
        crowd = 1 + p["c"] * i if pick["contact"] == "cautious" else 1.0
        new = p["beta"] * season * s * i / crowd
        if pick["renewal"] == "waning":
            change = [p["w"] * (1 - s - e - i) - new, new - p["sigma"] * e, p["sigma"] * e - p["gamma"] * i]
        else:
            change = [
                p["w"] * (1 - s) - new,
                new - (p["sigma"] + p["w"]) * e,
                p["sigma"] * e - (p["gamma"] + p["w"]) * i,
            ]
        return change

    half, end = trajectory(slope, [1 - p["i0"], 0.0, p["i0"]], [p["t"] / 2, p["t"]], pick)
    return [10 * (1 - sum(half)), 10 * (1 - sum(end)), 10 * float(end[0])]
