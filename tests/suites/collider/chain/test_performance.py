"""The second version of the detector, on particles made by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.suites.collider.chain.events import Particle, chunk_of
from tests.suites.collider.chain.test_zero_lepton import HIDDEN, jet, needs_chain

from assay.numbers import rng
from assay.suites.collider.chain import samples
from assay.suites.collider.chain.detector import objects, particles, performance
from assay.suites.collider.chain.detector.objects import Event

SECOND = replace(particles.CMS, card=particles.V1)
MANY = 400


def both(*events: list[Particle]) -> tuple[Event, Event]:
    chunk, stream = chunk_of(*events), rng.stream(5, "by hand")
    return objects.reconstruct(chunk, stream), objects.reconstruct(chunk, stream, SECOND)


def test_resolutions_are_the_published_ones() -> None:
    assert performance.jet_resolution(np.array([10.0, 100.0, 1000.0])) == pytest.approx([0.15, 0.08, 0.04])
    assert performance.jet_resolution(np.array([31.6])) == pytest.approx([0.115], abs=1e-3)
    added = performance.added_resolution(np.array([100.0]))
    assert added == pytest.approx([(0.08**2 - 0.019**2) ** 0.5])


@needs_chain
def test_jets_get_the_rest_of_their_resolution_and_missing_momentum_follows() -> None:
    first, second = both(*[[HIDDEN, *jet(100, 0.3, 0.0)] for _ in range(MANY)])
    every = np.ones(MANY, np.bool_)
    pt = [np.array([one[0].pt for one in event.jets(every)]) for event in (first, second)]
    ratio = pt[1] / pt[0]
    assert ratio.std() == pytest.approx((0.08**2 - 0.019**2) ** 0.5, rel=0.15)
    assert ratio.mean() == pytest.approx(1, abs=0.02)
    moved = second.measured.miss_x - first.measured.miss_x
    assert moved == pytest.approx(pt[0] - pt[1], abs=0.5)
    odd = np.arange(MANY) % 2 == 1
    assert [len(one) for one in second.jets(odd)] == odd.astype(int).tolist()


@needs_chain
def test_a_photon_or_a_muon_is_no_jet_to_be_smeared() -> None:
    first, second = both(*[[HIDDEN, (22, 200.0, 0.2, 0.0), (13, 80.0, -0.5, 2.0)] for _ in range(40)])
    assert second.measured.miss_x.tolist() == first.measured.miss_x.tolist()
    assert second.photons.pt.tolist() == first.photons.pt.tolist()


@needs_chain
def test_leptons_have_flat_efficiencies_first_and_published_maps_second() -> None:
    first, second = both([HIDDEN, (11, 60.0, 0.3, 0.0), (13, 22.0, 2.3, 1.0), (11, 25.0, 1.5, -2.0)])
    (flat,) = performance.lepton_efficiency(first.leptons, "v0", "sus-16-034").tolist()
    assert flat == pytest.approx([0.8, 0.8, 0.9])
    (hard, gap, muon) = performance.lepton_efficiency(second.leptons, "v1", "sus-16-034").tolist()[0]
    assert hard == pytest.approx(0.79)
    assert gap in (0.338, 0.372)  # its bin depends on what was measured
    assert muon in (0.803, 0.818)


def test_tools_know_the_first_version_alone() -> None:
    card = samples.Card("CMS-SUS-16-046", "TChiWg_700", "none", particles.V1)
    assert set(card.to_json()) == {"generator", "point", "filter"}
    assert samples.Card("CMS-SUS-16-046", "TChiWg_700", "none").detector == particles.V0
