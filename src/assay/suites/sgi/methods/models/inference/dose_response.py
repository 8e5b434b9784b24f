"""A dose-response curve with deaths that no dose explains."""

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

    doses = [round(p["unit"] * 1.6**i, 4) for i in range(-3, 4)]
    dead = []
    for dose in doses:
        chance = 0.06 + 0.94 / (1 + (dose / p["unit"]) ** -1.8)
        dead.append(round(40 * min(max(chance + 0.04 * noise(), 0.02), 0.98)))
    return {"doses": doses, "dead": dead}


def dose_response(p: Numbers, pick: Picks) -> list[float]:
    """The dose of one half over the unit, the slope, and ten times the chance to die at dose x."""
    dose, dead = np.array(p["doses"]) / p["unit"], np.array(p["dead"], float)
    x = np.log(dose) if pick["scale"] == "logarithmic" else dose

    def curve(z: np.ndarray) -> np.ndarray:
        if pick["tolerance"] == "logistic":
            value = 1 / (1 + np.exp(-z))
        else:
            value = 1 - np.exp(-np.log(2) * np.exp(np.clip(z, -40, 6)))
        return np.asarray(value)

    def chance(v: np.ndarray, at: np.ndarray) -> np.ndarray:
        f = curve(v[1] * (at - v[0]))
        if pick["background"] == "independent":
            value = p["c"] + (1 - p["c"]) * f
        else:
            value = p["c"] * (1 - f) / 2 + f
        return np.asarray(np.clip(value, 1e-12, 1 - 1e-12))

    def loss(v: np.ndarray) -> float:
        q = chance(v, x)
        return -float(np.sum(dead * np.log(q) + (40 - dead) * np.log(1 - q)))

    middle = 0.0 if pick["scale"] == "logarithmic" else 1.0
    grid = [np.array([middle + a, b]) for a in np.linspace(-0.6, 0.6, 7) for b in (0.7, 1.2, 2.0, 3.0)]
    start = min(grid, key=loss)
    if pick["method"] == "right":
        v = start
        for _ in range(60):
            q = chance(v, x)
            h = 1e-5
            rise = np.array([(chance(v + h * e, x) - chance(v - h * e, x)) / (2 * h) for e in np.eye(2)])
            weight = 40 / (q * (1 - q))
            step = np.linalg.solve((rise * weight) @ rise.T, rise @ (weight * (dead / 40 - q)))
            while loss(v + step) > loss(v) + 1e-12 and np.abs(step).max() > 1e-13:
                step = step / 2
            v = v + step
            if np.abs(step).max() < 1e-12:
                break
    elif pick["method"] == "second":
        tight = {"xatol": 1e-10, "fatol": 1e-13, "maxiter": 4000}
        v = optimize.minimize(loss, start, method="Nelder-Mead", options=tight).x
        v = optimize.minimize(loss, v, method="Nelder-Mead", options=tight).x
    elif pick["method"] == "naive":
        share = np.clip(dead / 40, 0.01, 0.99)
        slope, offset = np.polyfit(x, np.log(share / (1 - share)), 1)
        v = np.array([-offset / slope, slope])
    else:
        v = start
    half = np.exp(v[0]) if pick["scale"] == "logarithmic" else v[0]
    place = np.array([np.log(p["x"]) if pick["scale"] == "logarithmic" else p["x"]])
    return [abs(float(half)), abs(float(v[1])), 10 * float(chance(v, place)[0])]
