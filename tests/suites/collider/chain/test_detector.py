"""The parametric detector on particles made by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.suites.collider.chain.events import chunk_of

from assay.suites.collider.chain.detector import cones
from assay.suites.collider.chain.detector import particles as detector
from assay.suites.collider.chain.detector.particles import MUON, PHOTON, measure

MANY = 4000


@pytest.mark.parametrize(
    ("number", "eta", "expected"),
    [
        (22, 0.5, math.hypot(0.03 / math.sqrt(100 * math.cosh(0.5)), 0.01)),
        (211, 1.0, math.hypot(0.01, 1.5e-4 * 100)),
        (-13, -2.0, math.hypot(0.01, 1.5e-4 * 100)),
        (130, 0.2, math.hypot(1 / math.sqrt(100 * math.cosh(0.2)), 0.05)),
        (130, 4.0, math.hypot(2.8 / math.sqrt(100 * math.cosh(4.0)), 0.11)),
        (11, 2.7, math.hypot(0.03 / math.sqrt(100 * math.cosh(2.7)), 0.01)),
    ],
)
def test_resolution(number: int, eta: float, expected: float) -> None:
    measured = measure(chunk_of([(number, 100.0, eta, 0.3)] * MANY), key=5)
    assert len(measured.pt) == MANY
    assert measured.pt.std() == pytest.approx(100 * expected, rel=5 / math.sqrt(2 * MANY))
    assert measured.pt.mean() == pytest.approx(100, abs=5 * 100 * expected / math.sqrt(MANY))
    assert np.allclose(measured.eta, eta)
    assert np.allclose(measured.phi, 0.3)


@pytest.mark.parametrize(
    ("number", "eta", "expected"),
    [
        (22, 0.5, math.hypot(0.10 / math.sqrt(100 * math.cosh(0.5)), 0.007)),
        (211, 1.0, math.hypot(0.5 / math.sqrt(100 * math.cosh(1.0)), 0.03)),
        (-13, -2.6, math.hypot(0.01, 5e-4 * 100)),
        (130, 4.0, math.hypot(1.0 / math.sqrt(100 * math.cosh(4.0)), 0.10)),
    ],
)
def test_resolution_of_atlas(number: int, eta: float, expected: float) -> None:
    """Charged hadrons as the calorimeter sees them; muons as far as the chambers go."""
    measured = measure(chunk_of([(number, 100.0, eta, 0.3)] * MANY), 5, detector.ATLAS)
    assert len(measured.pt) == MANY
    assert measured.pt.std() == pytest.approx(100 * expected, rel=5 / math.sqrt(2 * MANY))


def test_what_is_not_measured() -> None:
    unseen = [
        (12, 50.0, 0.0, 0.0),
        (1000022, 50.0, 0.0, 0.0),
        (-1000039, 50.0, 0.0, 0.0),
        (22, 50.0, 5.1, 0.0),
        (13, 50.0, 2.45, 0.0),
        (211, 0.29, 0.0, 0.0),
    ]
    measured = measure(chunk_of(unseen, [(22, 50.0, 4.9, 0.0), (13, 50.0, -2.35, 0.0)]), key=1)
    assert measured.counts.tolist() == [0, 2]
    assert measured.kind.tolist() == [PHOTON, MUON]


def test_missing_momentum_is_what_is_missing_and_pile_up() -> None:
    measured = measure(chunk_of(*[[(13, 60.0, 0.0, 0.0), (12, 60.0, 0.0, math.pi)]] * MANY), key=2)
    spread = math.hypot(detector.CMS.value("pile-up in missing momentum"), 60 * math.hypot(0.01, 1.5e-4 * 60))
    assert measured.miss_x.mean() == pytest.approx(-60, abs=5 * spread / math.sqrt(MANY))
    assert measured.miss_x.std() == pytest.approx(spread, rel=0.06)
    assert measured.miss_y.std() == pytest.approx(detector.CMS.value("pile-up in missing momentum"), rel=0.06)


def test_draws_belong_to_event_and_particle() -> None:
    """An event is measured alike whatever lies behind it in its chunk."""
    first, second = [(22, 40.0, 0.1, 0.2), (211, 30.0, 0.3, 0.4)], [(22, 70.0, 1.0, 2.0)]
    alone, together = measure(chunk_of(first), key=9), measure(chunk_of(first, second), key=9)
    assert alone.pt.tolist() == together.pt[:2].tolist()
    assert alone.miss_x[0] == together.miss_x[0]
    assert measure(chunk_of(first), key=10).pt.tolist() != alone.pt.tolist()


def test_cones_hold_what_is_near_on_both_sides_of_pi() -> None:
    event = [(22, 50.0, 0.0, math.pi - 0.05), (211, 10.0, 0.1, -math.pi + 0.05), (211, 20.0, 0.5, math.pi)]
    measured = measure(chunk_of(event), key=3)
    everything = np.ones(3, np.bool_)
    sums = cones.sums(measured, np.array([0, 0]), np.array([0.3, 0.6]), everything)
    assert sums[0] == measured.pt[1]
    assert sums[1] == pytest.approx(measured.pt[1] + measured.pt[2])
