"""M_T2 and t_mod against closed forms and against their definitions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from assay.numbers import rng
from assay.suites.collider.chain.searches import kinematics
from assay.suites.collider.chain.searches.kinematics import mt2, t_mod


def test_the_transverse_mass_of_back_to_back_momenta() -> None:
    assert kinematics.transverse_mass(50.0, 0.0, 80.0, math.pi) == pytest.approx(2 * math.sqrt(50 * 80))
    assert kinematics.transverse_mass(50.0, 1.0, 80.0, 1.0) == 0


@pytest.mark.parametrize("angle", [0.0, 0.4, 2.5])
def test_mt2_without_recoil_has_a_closed_form(angle: float) -> None:
    """For massless legs that balance the missing momentum: M_T2^2 = 2 (a b + a.b) (Lester 2011)."""
    ax, ay, bx, by = 60.0, 10.0, 70.0 * math.cos(angle), 70.0 * math.sin(angle)
    expected = math.sqrt(2 * (math.hypot(ax, ay) * math.hypot(bx, by) + ax * bx + ay * by))
    assert mt2(ax, ay, bx, by, -ax - bx, -ay - by) == pytest.approx(expected, abs=1e-4)


def test_mt2_is_symmetric_and_vanishes_along_a_leg() -> None:
    assert mt2(30, 5, -20, 40, 10, -60) == pytest.approx(mt2(-20, 40, 30, 5, 10, -60), abs=1e-5)
    assert mt2(30, 5, -20, 40, 60, 10) == pytest.approx(0, abs=1e-3)


# Momenta of the legs and the missing momentum, where the minimum lies far away, with the value of the package
# mt2 1.3: searched in the first square alone, they came out at 29.5, 23.4, 16.5 and 56.1.
FAR_AWAY = (
    ((251.1687279, 92.31007735, -91.18425405, -34.61712813, 266.27346062, -267.99457778), 0.0),
    ((-21.48322225, 52.99156134, 43.94143499, -103.96858045, -182.13096346, -113.12698155), 15.588),
    ((11.64690682, -23.40273596, -42.27728738, 87.92651554, -203.55511876, -0.48735931), 10.6345),
    ((-35.02104202, 210.39844357, 36.17011883, -167.63512813, -314.30635604, -37.49107929), 53.5186),
)


@pytest.mark.parametrize(("momenta", "expected"), FAR_AWAY)
def test_mt2_is_found_far_away(momenta: tuple[float, ...], expected: float) -> None:
    assert mt2(*momenta) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("n", range(4))
def test_aplanarity_is_the_smallest_eigenvalue(n: int) -> None:
    stream = rng.stream(8, "aplanarity", n)
    momenta = np.array([[_draw(stream, 300) for _ in range(3)] for _ in range(4)])
    tensor = momenta.T @ momenta / (momenta**2).sum()
    flat = np.concatenate([momenta, momenta[:1]]).T.copy()
    value = kinematics.aplanarity(np.array([4, 0, 1]), *flat)
    assert value == pytest.approx([1.5 * np.linalg.eigvalsh(tensor)[0], 0, 0], abs=1e-9)
    plane = np.array([[30.0, 40.0, 0.0], [-50.0, 20.0, 0.0], [10.0, -60.0, 0.0]]).T.copy()
    assert kinematics.aplanarity(np.array([3]), *plane) == pytest.approx([0], abs=1e-12)
    octahedron = np.concatenate([np.eye(3), -np.eye(3)]).T.copy()
    assert kinematics.aplanarity(np.array([6]), *octahedron) == pytest.approx([0.5], abs=1e-6)


def _draw(stream: rng.Stream, scale: float) -> float:
    return scale * (stream.uniform() + stream.uniform() + stream.uniform() - 1.5)


def _momenta(n: int) -> tuple[float, ...]:
    stream = rng.stream(7, "t_mod", n)
    return (*(_draw(stream, s) for s in (200, 200, 400, 400)), 12.0, *(_draw(stream, 700) for _ in range(2)))


def _full_s(q: Any, p: tuple[float, ...]) -> float:
    """S of its definition: W momentum (3) and the neutrino's longitudinal one are free."""
    lx, ly, bx, by, mass, mx, my = p
    lz, bz = 40.0, -90.0
    wx, wy, wz, nz = q
    nx, ny = mx - wx, my - wy
    w_mass, top = kinematics.W_MASS, kinematics.TOP_MASS
    e_w = math.sqrt(wx * wx + wy * wy + wz * wz + w_mass**2)
    e_b = math.sqrt(bx * bx + by * by + bz * bz + mass * mass)
    e_l, e_n = math.hypot(lx, ly, lz), math.hypot(nx, ny, nz)
    w2 = (e_l + e_n) ** 2 - (lx + nx) ** 2 - (ly + ny) ** 2 - (lz + nz) ** 2
    t2 = (e_b + e_w) ** 2 - (bx + wx) ** 2 - (by + wy) ** 2 - (bz + wz) ** 2
    return ((w_mass**2 - w2) / 25.0) ** 2 + ((top**2 - t2) / 225.0) ** 2


@pytest.mark.parametrize("n", range(6))
def test_the_plane_has_the_minimum_of_all_four_unknowns(n: int) -> None:
    """A search in four dimensions from many places never finds less, and finds as little."""
    p = _momenta(n)
    value = t_mod(*p)
    options = {"maxiter": 6000, "maxfev": 6000, "xatol": 1e-6, "fatol": 1e-9, "adaptive": True}
    starts = [(fx * p[5], fx * p[6], z, w) for fx in (0.2, 0.6, 1.0) for z in (-100, 100) for w in (-50, 80)]
    least = min(
        minimize(_full_s, start, args=(p,), method="Nelder-Mead", options=options).fun for start in starts
    )
    if value > 5:
        assert math.log(least) == pytest.approx(value, abs=0.01)
    else:
        assert math.log(max(least, 1e-300)) > value - 0.01 or least < 1.0


def test_t_mod_of_a_lost_lepton_is_small() -> None:
    """Momenta of a top pair whose second lepton is lost: W and neutrino explain them."""
    w_mass = kinematics.W_MASS
    lepton, neutrino = (w_mass / 2, 0.0), (-w_mass / 2, 0.0)
    w = (30.0, 60.0)
    miss = (neutrino[0] + w[0], neutrino[1] + w[1])
    assert t_mod(*lepton, 45.0, 20.0, 5.0, *miss) == kinematics.LOWEST_T_MOD
    assert t_mod(*lepton, 45.0, 20.0, 5.0, miss[0] - 400, miss[1] + 500) > 10


def test_momenta_of_numpy_are_taken() -> None:
    assert mt2(*np.array([30.0, 5.0, -20.0, 40.0, 10.0, -60.0])) > 0
