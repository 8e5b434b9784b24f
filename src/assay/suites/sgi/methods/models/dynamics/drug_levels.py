"""A drug in gut, blood and tissue."""

from __future__ import annotations

import math

from assay.suites.sgi.methods.support import Numbers, Picks, trajectory


def drug_levels(p: Numbers, pick: Picks) -> list[float]:
    """Levels in blood at a quarter and at the end, and the amount that was eliminated, times 10/dose."""
    steady = pick["uptake"] == "steady"

    def slope(y: list[float], t: float) -> list[float]:
        if steady:
            inflow = p["dose"] / p["tin"] if t < p["tin"] else 0.0
        else:
            inflow = p["dose"] / p["tin"] * math.exp(-t / p["tin"])
        out = p["ke"] * y[0] / (1 + y[0] / p["km"]) if pick["elimination"] == "saturable" else p["ke"] * y[0]
        back = p["k21"] * y[1] if pick["tissue"] == "returns" else 0.0
        exchange = p["k12"] * y[0] - back
        return [inflow - out - exchange, exchange, out]

    if steady and pick["method"] in ("right", "second"):
        # The inflow stops at tin, so the integration does, too.
        marks = sorted({p["t"] / 4, p["tin"], p["t"]})
        states = {0.0: [0.0, 0.0, 0.0]}
        last = 0.0
        for mark in marks:
            begin = last

            def shifted(y: list[float], t: float, begin: float = begin, mark: float = mark) -> list[float]:
                return slope(y, min(begin + t, mark - 1e-12) if mark <= p["tin"] else p["tin"] + 1.0)

            states[mark] = list(trajectory(shifted, states[last], [mark - last], pick)[0])
            last = mark
        early, late = states[p["t"] / 4], states[p["t"]]
    else:
        early, late = trajectory(slope, [0.0, 0.0, 0.0], [p["t"] / 4, p["t"]], pick)
    return [10 * early[0] / p["dose"], 10 * late[0] / p["dose"], 10 * late[2] / p["dose"]]
