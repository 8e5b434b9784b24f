"""A battery that is discharged."""

from __future__ import annotations

import math

from assay.suites.sgi.methods.support import Numbers, Picks, trajectory


def battery_cell(p: Numbers, pick: Picks) -> list[float]:
    """Voltages at half of the time and at the end, and the charge at the end."""

    def open_voltage(s: float) -> float:
        if pick["open voltage"] == "logarithmic":
            value = 2 + p["b"] * math.log(s / (1 - s))
        else:
            value = 2 + 4 * p["b"] * (s - 0.5)
        return float(value)

    def current(s: float, u: float) -> float:
        if pick["load"] == "current":
            value: float = p["load"]
        else:
            rest = open_voltage(s) - u
            value = (rest - math.sqrt(rest**2 - 8 * p["load"] * p["r0"])) / (2 * p["r0"])
        return value

    def slope(y: list[float], t: float) -> list[float]:
        i = current(y[0], y[1])
        leak = p["leak"] * y[0] ** 2 if pick["self-discharge"] == "pairwise" else p["leak"] * y[0]
        return [-i / p["cap"] - leak, (i * p["r1"] - y[1]) / p["tau"]]

    half, end = trajectory(slope, [0.9, 0.0], [p["t"] / 2, p["t"]], pick)
    return [open_voltage(s) - u - p["r0"] * current(s, u) for s, u in (half, end)] + [float(end[0])]
