"""A body that is heated and loses heat."""

from __future__ import annotations

import math

from assay.suites.sgi.methods.support import Numbers, Picks, trajectory


def heated_body(p: Numbers, pick: Picks) -> list[float]:
    """Temperatures over that of the room at half of the time and at the end."""

    def slope(y: list[float], t: float) -> list[float]:
        temperature = y[0]
        if pick["cooling"] == "radiation":
            loss = p["h"] * (temperature**4 - 1) / 4
        else:
            loss = p["h"] * (temperature - 1)
        wave = math.sin(p["omega"] * t)
        power = p["p"] * (2 * wave**2 if pick["heating"] == "alternating" else 1 + wave)
        capacity = 1 + p["c"] * (temperature - 1) if pick["capacity"] == "rising" else 1 + p["c"]
        return [(power * p["h"] - loss) / capacity]

    half, end = trajectory(slope, [1.0], [p["t"] / 2, p["t"]], pick)
    return [half[0], end[0]]
