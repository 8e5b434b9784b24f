"""How a rate depends on its surroundings: two rival laws each, the same constants in both."""

from __future__ import annotations

import math

from assay.suites.sgi.methods.support import Numbers, Picks


def thermal(p: Numbers, pick: Picks) -> float:
    """Temperature."""
    if pick["form"] == "activated":
        factor = math.exp(math.log(p["q"]) * (1 / 298.15 - 1 / p["x"]) / (1 / 298.15 - 1 / 308.15))
    else:
        factor = p["q"] ** ((p["x"] - 298.15) / 10)
    return float(factor)


def crowding(p: Numbers, pick: Picks) -> float:
    """Concentration of an inert polymer."""
    if pick["form"] == "linear":
        factor = 1 + p["b"] * p["x"]
    else:
        factor = math.exp(p["b"] * p["x"])
    return float(factor)


def supply(p: Numbers, pick: Picks) -> float:
    """Concentration of a nutrient, half of the limit at K."""
    if pick["form"] == "hyperbolic":
        factor = 2 * p["x"] / (p["k"] + p["x"])
    else:
        factor = 2 * (1 - 2 ** (-p["x"] / p["k"]))
    return float(factor)


def sites(p: Numbers, pick: Picks) -> float:
    """Occupied sites: one ligand or two together."""
    ratio = p["x"] / p["k"]
    if pick["form"] == "single":
        factor = 0.3 + ratio / (1 + ratio)
    else:
        factor = 0.3 + ratio**2 / (1 + ratio**2)
    return float(factor)


def salt(p: Numbers, pick: Picks) -> float:
    """Ionic strength."""
    root = math.sqrt(p["x"])
    if pick["form"] == "limiting":
        factor = math.exp(-p["b"] * root)
    else:
        factor = math.exp(-p["b"] * root / (1 + root))
    return float(factor)


def ageing(p: Numbers, pick: Picks) -> float:
    """Age of a catalyst."""
    if pick["form"] == "first order":
        factor = math.exp(-p["x"] / p["k"])
    else:
        factor = 1 / (1 + p["x"] / p["k"])
    return float(factor)


def pressure(p: Numbers, pick: Picks) -> float:
    """Pressure over the standard one."""
    if pick["form"] == "power":
        factor = p["x"] ** p["b"]
    else:
        factor = 1 + p["b"] * math.log(p["x"])
    return float(factor)


def shading(p: Numbers, pick: Picks) -> float:
    """Light in an absorbing layer: at its bottom, or the mean over its depth."""
    depth = p["b"] * p["x"]
    if pick["form"] == "bottom":
        factor = 2 * math.exp(-depth)
    else:
        factor = 2 * (1 - math.exp(-depth)) / depth
    return float(factor)


def field(p: Numbers, pick: Picks) -> float:
    """Electric field."""
    if pick["form"] == "root":
        factor = math.exp(p["b"] * (math.sqrt(p["x"]) - 1))
    else:
        factor = math.exp(p["b"] * (p["x"] - 1) / 2)
    return float(factor)
