"""Kinematic quantities of the searches: transverse mass, M_T2, t_mod and aplanarity.

M_T2 and t_mod are minima of convex functions over a plane, found by nested golden-section searches.
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

MT2_SQUARED, TOPNESS = range(2)
"""Quantities that are minimised."""

PLANE, LINE, POINT = range(3)
"""Parts of the plane over which they are; the minimum over one is that of its values over the next."""

INVERSE_GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)
STEPS = 64
"""Number of steps of a golden-section search, which narrow an interval to 4e-14 of its width."""

REACH = 5.0
"""Half the side of the square that is searched, in units of the sum of the given transverse momenta."""

WIDER, WIDEST = 8.0, 1e7
"""Factor by which the square of M_T2 grows while that lowers the minimum, and the largest REACH.

If the visible momenta point away from each other, the minimum lies far outside of the first square.
"""

RESOLUTION = 1e-3
"""GeV. A wider square counts if it lowers M_T2 by more; samples have three decimals."""

LOWEST_T_MOD = -20.0
"""Smallest value of t_mod, which is also its value for S = 0, where the logarithm diverges."""


def transverse_mass(pt: Any, phi: Any, ptmiss: Any, phimiss: Any) -> Any:
    """Return the transverse mass (GeV) of a massless particle and the missing momentum."""
    return np.sqrt(np.maximum(2 * pt * ptmiss * (1 - np.cos(phi - phimiss)), 0.0))


@kernel
def _mt_squared(px: float, py: float, qx: float, qy: float) -> float:
    """Return the squared transverse mass of two massless momenta."""
    squared: float = 2.0 * (np.sqrt(px * px + py * py) * np.sqrt(qx * qx + qy * qy) - px * qx - py * qy)
    return max(squared, 0.0)


@kernel
def _mt2_at(p: np.ndarray, qx: float, qy: float) -> float:
    """Return the larger squared transverse mass if the first invisible particle has the momentum (qx, qy)."""
    return max(_mt_squared(p[0], p[1], qx, qy), _mt_squared(p[2], p[3], p[4] - qx, p[5] - qy))


@kernel
def _s_at(p: np.ndarray, qx: float, qy: float) -> float:
    """Return S for a neutrino of transverse momentum (qx, qy), minimised over the longitudinal momenta."""
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
    """Return half the side of the square that is searched, in GeV."""
    lengths = [np.sqrt(p[i] * p[i] + p[i + 1] * p[i + 1]) for i in (0, 2, 4)]
    half: float = p[7] * (lengths[0] + lengths[1] + lengths[2])
    return half


@kernel
def _minimum(quantity: int, p: np.ndarray, over: int, qx: float, at: float) -> float:
    """Return the minimum of a quantity over a part of the plane of (qx, qy).

    Args:
        quantity: MT2_SQUARED or TOPNESS.
        p: the momenta of the event.
        over: PLANE for the whole plane, LINE for the line qx = `at`, POINT for the value at (qx, `at`).
        qx: the first coordinate of a POINT; not used otherwise.
        at: the coordinate that is given; not used for the PLANE.

    The minima over the lines are a convex function of qx, so the search over the plane is the same
    golden-section search, of minima over lines.
    """
    if over == POINT:
        return _s_at(p, qx, at) if quantity == TOPNESS else _mt2_at(p, qx, at)
    if over == LINE:
        qx = at
    half = _half(p)
    low, high = 0.5 * p[4 + over] - half, 0.5 * p[4 + over] + half
    a, b = high - INVERSE_GOLDEN * (high - low), low + INVERSE_GOLDEN * (high - low)
    at_a, at_b = _minimum(quantity, p, over + 1, qx, a), _minimum(quantity, p, over + 1, qx, b)
    for _ in range(STEPS):
        if at_a < at_b:
            high, b, at_b = b, a, at_a
            a = high - INVERSE_GOLDEN * (high - low)
            at_a = _minimum(quantity, p, over + 1, qx, a)
        else:
            low, a, at_a = a, b, at_b
            b = low + INVERSE_GOLDEN * (high - low)
            at_b = _minimum(quantity, p, over + 1, qx, b)
    return min(at_a, at_b)


@kernel
def _smallest_root(second: float, determinant: float) -> float:
    """Return the smallest eigenvalue of a symmetric 3 x 3 matrix with trace 1 and no negative eigenvalue.

    `second` is the sum of its principal minors of order 2. The root is found by Newton's method from 0.
    """
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
    """Return 1.5 times the smallest eigenvalue of the normalised momentum tensor of each event.

    The flat arrays (GeV) hold `counts[n]` momenta for event n, one event after another. Values are in [0,
    1/2] (Bjorken and Brodsky 1970).
    """
    values = np.zeros(counts.size)
    _aplanarity(counts, px, py, pz, values)
    return values


def mt2(ax: float, ay: float, bx: float, by: float, miss_x: float, miss_y: float) -> float:
    """Return M_T2 (GeV) of massless visible and invisible momenta (Lester and Summers 1999)."""
    p = np.array([ax, ay, bx, by, miss_x, miss_y, 0.0, REACH])
    value = math.sqrt(_minimum(MT2_SQUARED, p, PLANE, 0.0, 0.0))
    while p[7] < WIDEST:
        p[7] *= WIDER
        wider = math.sqrt(_minimum(MT2_SQUARED, p, PLANE, 0.0, 0.0))
        if wider > value - RESOLUTION:
            break
        value = wider
    return value


def t_mod(lx: float, ly: float, bx: float, by: float, mass: float, miss_x: float, miss_y: float) -> float:
    """Return the modified topness of a lepton, a b jet and the missing momentum (GeV).

    It is ln of the minimum of S, which compares the mass of lepton and neutrino with that of the W, and the
    mass of the b jet and a lost W with that of the top quark. Both longitudinal momenta are free, so each
    mass can take any value above its transverse mass, and the minimum is searched in a plane.
    """
    momenta = np.array([lx, ly, bx, by, miss_x, miss_y, mass, REACH])
    least = _minimum(TOPNESS, momenta, PLANE, 0.0, 0.0)
    return max(math.log(least), LOWEST_T_MOD) if least > 0 else LOWEST_T_MOD
