"""Two reactions in a row in a batch reactor, with heat."""

from __future__ import annotations

import math

from assay.suites.sgi.methods.support import Numbers, Picks, trajectory


def batch_reactor(p: Numbers, pick: Picks) -> list[float]:
    """Product at a quarter of the time, what is not product then, and product at the end."""

    def slope(y: list[float], t: float) -> list[float]:
        a, b = y
        c = p["a0"] - a - b
        warm = math.exp(p["h"] * c / p["a0"]) if pick["heat"] == "kept" else 1.0
        if pick["order"] == "first":
            first = p["k1"] * a * warm
        else:
            first = p["k1"] * a * a * warm
        second = p["k2"] * b * warm
        if pick["second step"] == "reversible":
            second = p["k2"] * (b - c / p["keq"]) * warm
        return [-first, first - second]

    early, late = trajectory(slope, [p["a0"], 0.0], [p["t"] / 4, p["t"]], pick)
    return [p["a0"] - sum(early), sum(early), p["a0"] - sum(late)]
