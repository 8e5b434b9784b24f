"""Quantities of the searches that are more than one line: transverse masses, M_T2 and t_mod.

The two minimisations run over a plane. What they minimise is convex, so a grid that closes in on its best
point finds the minimum; only basic arithmetic and square roots are used.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.kernels import kernel
from assay.suites.collider.chain import parameters

W_MASS: float = parameters.value("kinematics", "w mass")
TOP_MASS: float = parameters.value("kinematics", "top mass")
W_RESOLUTION: float = parameters.value("kinematics", "w resolution of t_mod")
TOP_RESOLUTION: float = parameters.value("kinematics", "top resolution of t_mod")

GRID = 20
"""Steps of the grid to either side of its centre."""

ZOOMS = 14
CLOSER = 0.25
"""The width of each grid in that of the one before."""

LOWEST_T_MOD = -20.0
"""What stands for the logarithm of a vanishing S."""


def transverse_mass(pt: Any, phi: Any, ptmiss: Any, phimiss: Any) -> Any:
    """The transverse mass (GeV) of something massless and the missing momentum."""
    return np.sqrt(np.maximum(2 * pt * ptmiss * (1 - np.cos(phi - phimiss)), 0.0))


@kernel
def _mt_squared(px: float, py: float, qx: float, qy: float) -> float:
    """The squared transverse mass of two massless momenta."""
    found = 2.0 * (np.sqrt(px * px + py * py) * np.sqrt(qx * qx + qy * qy) - px * qx - py * qy)
    return max(found, 0.0)


@kernel
def mt2(ax: float, ay: float, bx: float, by: float, miss_x: float, miss_y: float) -> float:
    """M_T2 (GeV) of two massless visible momenta and massless invisible ones (Lester and Summers 1999)."""
    centre_x, centre_y = 0.5 * miss_x, 0.5 * miss_y
    half = (
        np.sqrt(miss_x * miss_x + miss_y * miss_y) + np.sqrt(ax * ax + ay * ay) + np.sqrt(bx * bx + by * by)
    )
    best = math.inf
    for _ in range(ZOOMS):
        x0, y0 = centre_x, centre_y
        for i in range(-GRID, GRID + 1):
            qx = x0 + half * i / GRID
            for j in range(-GRID, GRID + 1):
                qy = y0 + half * j / GRID
                found = max(_mt_squared(ax, ay, qx, qy), _mt_squared(bx, by, miss_x - qx, miss_y - qy))
                if found < best:
                    best = found
                    centre_x, centre_y = qx, qy
        half *= CLOSER
    return np.sqrt(best)


@kernel
def _s(
    lx: float,
    ly: float,
    bx: float,
    by: float,
    mass: float,
    miss_x: float,
    miss_y: float,
    qx: float,
    qy: float,
) -> float:
    """S for a neutrino of transverse momentum q; the longitudinal unknowns are already minimised over."""
    wx, wy = miss_x - qx, miss_y - qy
    first = max(0.0, _mt_squared(lx, ly, qx, qy) - W_MASS * W_MASS) / (W_RESOLUTION * W_RESOLUTION)
    et_w = np.sqrt(wx * wx + wy * wy + W_MASS * W_MASS)
    et_b = np.sqrt(bx * bx + by * by + mass * mass)
    together = mass * mass + W_MASS * W_MASS + 2.0 * (et_b * et_w - bx * wx - by * wy)
    second = max(0.0, together - TOP_MASS * TOP_MASS) / (TOP_RESOLUTION * TOP_RESOLUTION)
    return first * first + second * second


@kernel
def t_mod(lx: float, ly: float, bx: float, by: float, mass: float, miss_x: float, miss_y: float) -> float:
    """The modified topness of a lepton, a b jet of some mass and the missing momentum (GeV): ln of the least S.

    S compares a lost W and the neutrino with the masses of W and top quark. With both longitudinal momenta
    free, each mass can take any value above its transverse mass, which leaves a plane to search.
    """
    centre_x, centre_y = 0.5 * miss_x, 0.5 * miss_y
    half = (
        np.sqrt(miss_x * miss_x + miss_y * miss_y) + np.sqrt(lx * lx + ly * ly) + np.sqrt(bx * bx + by * by)
    )
    best = math.inf
    for _ in range(ZOOMS):
        x0, y0 = centre_x, centre_y
        for i in range(-GRID, GRID + 1):
            qx = x0 + half * i / GRID
            for j in range(-GRID, GRID + 1):
                qy = y0 + half * j / GRID
                found = _s(lx, ly, bx, by, mass, miss_x, miss_y, qx, qy)
                if found < best:
                    best = found
                    centre_x, centre_y = qx, qy
        if best == 0.0:
            return LOWEST_T_MOD
        half *= CLOSER
    return max(np.log(best), LOWEST_T_MOD)
