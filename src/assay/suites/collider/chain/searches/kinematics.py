"""Quantities of the searches that are more than one line: transverse masses, M_T2 and t_mod.

M_T2 and t_mod are minima over a plane of functions that are convex, so that nested golden sections find them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.numbers.kernels import kernel
from assay.suites.collider.chain import parameters

W_MASS: float = parameters.value("kinematics", "w mass")
TOP_MASS: float = parameters.value("kinematics", "top mass")
W_RESOLUTION: float = parameters.value("kinematics", "w resolution of t_mod")
TOP_RESOLUTION: float = parameters.value("kinematics", "top resolution of t_mod")

INVERSE_GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)
STEPS = 64
"""Steps of a golden-section search: they narrow an interval to 4e-14 of what it was."""

REACH = 5.0
"""Half of the plane that is searched, in sums of the momenta that are given."""

LOWEST_T_MOD = -20.0
"""Stands for the logarithm of a vanishing S."""


def transverse_mass(pt: Any, phi: Any, ptmiss: Any, phimiss: Any) -> Any:
    """The transverse mass (GeV) of something massless and the missing momentum."""
    return np.sqrt(np.maximum(2 * pt * ptmiss * (1 - np.cos(phi - phimiss)), 0.0))


@kernel
def _mt_squared(px: float, py: float, qx: float, qy: float) -> float:
    """The squared transverse mass of two massless momenta."""
    squared: float = 2.0 * (np.sqrt(px * px + py * py) * np.sqrt(qx * qx + qy * qy) - px * qx - py * qy)
    return max(squared, 0.0)


@kernel
def _mt2_at(p: np.ndarray, qx: float, qy: float) -> float:
    """The larger of the squared transverse masses for this share of the missing momentum."""
    return max(_mt_squared(p[0], p[1], qx, qy), _mt_squared(p[2], p[3], p[4] - qx, p[5] - qy))


@kernel
def _s_at(p: np.ndarray, qx: float, qy: float) -> float:
    """S for a neutrino of transverse momentum q; the longitudinal unknowns are already minimised over."""
    wx, wy, mass = p[4] - qx, p[5] - qy, p[6]
    first = max(0.0, _mt_squared(p[0], p[1], qx, qy) - W_MASS * W_MASS) / (W_RESOLUTION * W_RESOLUTION)
    et_w = np.sqrt(wx * wx + wy * wy + W_MASS * W_MASS)
    et_b = np.sqrt(p[2] * p[2] + p[3] * p[3] + mass * mass)
    together = mass * mass + W_MASS * W_MASS + 2.0 * (et_b * et_w - p[2] * wx - p[3] * wy)
    second = max(0.0, together - TOP_MASS * TOP_MASS) / (TOP_RESOLUTION * TOP_RESOLUTION)
    total: float = first * first + second * second
    return total


@kernel
def _half(p: np.ndarray) -> float:
    """Half of the side of the square that is searched."""
    lengths = [np.sqrt(p[i] * p[i] + p[i + 1] * p[i + 1]) for i in (0, 2, 4)]
    half: float = REACH * (lengths[0] + lengths[1] + lengths[2])
    return half


@kernel
def _least(topness: bool, p: np.ndarray, axis: int, qx: float, at: float) -> float:
    """The least value over the plane (axis 0), over its line at qx = `at` (axis 1), or the value at qx, qy =
    `at` (axis 2). What is least on lines is convex again.
    """
    if axis == 2:
        return _s_at(p, qx, at) if topness else _mt2_at(p, qx, at)
    if axis == 1:
        qx = at
    half = _half(p)
    low, high = 0.5 * p[4 + axis] - half, 0.5 * p[4 + axis] + half
    a, b = high - INVERSE_GOLDEN * (high - low), low + INVERSE_GOLDEN * (high - low)
    at_a, at_b = _least(topness, p, axis + 1, qx, a), _least(topness, p, axis + 1, qx, b)
    for _ in range(STEPS):
        if at_a < at_b:
            high, b, at_b = b, a, at_a
            a = high - INVERSE_GOLDEN * (high - low)
            at_a = _least(topness, p, axis + 1, qx, a)
        else:
            low, a, at_a = a, b, at_b
            b = low + INVERSE_GOLDEN * (high - low)
            at_b = _least(topness, p, axis + 1, qx, b)
    return min(at_a, at_b)


@kernel
def _smallest_root(second: float, determinant: float) -> float:
    """The smallest eigenvalue of a symmetric matrix of trace 1 that has no negative one: Newton from 0."""
    at = 0.0
    for _ in range(STEPS):
        slope = 3.0 * at * at - 2.0 * at + second
        if slope <= 0.0:
            break
        at -= (at * at * at - at * at + second * at - determinant) / slope
    return at


@kernel
def _aplanarity(counts: np.ndarray, px: np.ndarray, py: np.ndarray, pz: np.ndarray, out: np.ndarray) -> None:
    first = 0
    for n in range(counts.size):
        xx = yy = zz = xy = yz = zx = 0.0
        for i in range(first, first + counts[n]):
            xx += px[i] * px[i]
            yy += py[i] * py[i]
            zz += pz[i] * pz[i]
            xy += px[i] * py[i]
            yz += py[i] * pz[i]
            zx += pz[i] * px[i]
        first += counts[n]
        trace = xx + yy + zz
        if trace <= 0.0:
            continue
        xx, yy, zz = xx / trace, yy / trace, zz / trace
        xy, yz, zx = xy / trace, yz / trace, zx / trace
        second = xx * yy + yy * zz + zz * xx - xy * xy - yz * yz - zx * zx
        determinant = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * zx) + zx * (xy * yz - yy * zx)
        out[n] = 1.5 * max(_smallest_root(second, determinant), 0.0)


def aplanarity(counts: np.ndarray, px: np.ndarray, py: np.ndarray, pz: np.ndarray) -> np.ndarray:
    """One and a half times the smallest eigenvalue of the normalised momentum tensor of each event, whose
    momenta (flat, GeV) are the next `counts[n]`; in [0, 1/2] (Bjorken and Brodsky 1970).
    """
    values = np.zeros(counts.size)
    _aplanarity(counts, px, py, pz, values)
    return values


def mt2(ax: float, ay: float, bx: float, by: float, miss_x: float, miss_y: float) -> float:
    """M_T2 (GeV) of two massless visible momenta and massless invisible ones (Lester and Summers 1999)."""
    return math.sqrt(_least(False, np.array([ax, ay, bx, by, miss_x, miss_y, 0.0]), 0, 0.0, 0.0))


def t_mod(lx: float, ly: float, bx: float, by: float, mass: float, miss_x: float, miss_y: float) -> float:
    """The modified topness of a lepton, a b jet of some mass, and the missing momentum (GeV): ln of least S.

    S compares a lost W and the neutrino with the masses of W and top quark. With both longitudinal momenta
    free, each mass can take any value above its transverse mass, which leaves a plane to search.
    """
    least = _least(True, np.array([lx, ly, bx, by, miss_x, miss_y, mass]), 0, 0.0, 0.0)
    return max(math.log(least), LOWEST_T_MOD) if least > 0 else LOWEST_T_MOD
