"""Jets, fat jets and leptons of the ATLAS searches, on particles made by hand."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from tests.suites.collider.chain.events import Particle, chunk_of

from assay.config import yaml
from assay.numbers import rng
from assay.suites.collider.chain import generation
from assay.suites.collider.chain.detector import objects
from assay.suites.collider.chain.detector import particles as detector
from assay.suites.collider.chain.searches import susy_2016_07, susy_2018_22
from assay.suites.collider.chain.searches.regions import selection
from assay.suites.collider.chain.searches.registry import SEARCHES

needs_chain = pytest.mark.skipif(
    not generation.available(), reason="the chain needs its programs: make setup EXTRAS=collider"
)

HIDDEN: Particle = (12, 900.0, 0.0, 0.0)
MANY = 40


def jet(pt: float, eta: float, phi: float) -> list[Particle]:
    """A jet of twenty photons, so that its energy is well measured."""
    return [(22, pt / 20, eta + 0.005 * (n % 3 - 1), phi + 0.005 * (n % 2)) for n in range(20)]


def variables(module: object, *events: list[Particle]) -> dict[str, np.ndarray]:
    event = objects.reconstruct(chunk_of(*events), rng.stream(3, "by hand"), detector.ATLAS)
    return module.variables(event)  # type: ignore[attr-defined, no-any-return]


@needs_chain
def test_jets_and_sums() -> None:
    event = [HIDDEN, *jet(500, 0.3, 3.0), *jet(400, -1.0, -2.5), *jet(60, 2.0, 1.5), *jet(45, 0, -1)]
    (columns,) = (variables(susy_2018_22, event),)
    event_values = {name: float(values[0]) for name, values in columns.items()}
    assert (event_values["jets"], event_values["leptons"]) == (3, 0)
    assert event_values["jet_1"] == pytest.approx(500, rel=0.06)
    assert event_values["jet_4"] == 0
    assert event_values["eta_2"] == pytest.approx(1.0, abs=0.02)
    assert event_values["eta_4"] == 9
    assert event_values["meff"] == pytest.approx(event_values["etmiss"] + 960, rel=0.06)
    ht = event_values["meff"] - event_values["etmiss"]
    assert event_values["etmiss_significance"] == pytest.approx(event_values["etmiss"] / math.sqrt(ht))
    assert event_values["angle_more"] == 9
    assert 0 < event_values["angle_3"] < math.pi


@needs_chain
def test_a_lepton_counts_unless_it_lies_in_a_jet() -> None:
    back = [HIDDEN, *jet(500, 0, 3.0), *jet(300, 0.5, -2.0)]
    alone = [*back, (13, 30.0, 0.0, 0.5)]
    within = [*back, (13, 30.0, 0.35, -2.0)]
    soft = [*back, (13, 6.5, 0.0, 0.5)]
    electron = [*back, (11, 60.0, 1.5, 0.5)]
    in_2016 = variables(susy_2016_07, *[alone] * MANY, *[within] * MANY, *[soft] * MANY, *[electron] * MANY)
    in_2018 = variables(susy_2018_22, *[soft] * MANY)
    shares = [in_2016["leptons"][n * MANY : (n + 1) * MANY].mean() for n in range(4)]
    assert shares[0] == pytest.approx(0.98, abs=0.1)
    assert shares[1] == 0
    assert shares[2] < 0.2  # 6.5 GeV is below 7, but for the resolution
    assert shares[3] == pytest.approx(0.93, abs=0.16)
    assert in_2018["leptons"].mean() > 0.7
    assert in_2016["jets"][3 * MANY :].tolist() == [2.0 + (n == 0) for n in in_2016["leptons"][3 * MANY :]]


@needs_chain
def test_two_jets_of_a_boson_are_one_fat_jet_with_its_mass() -> None:
    """A pair of 250 and 200 GeV apart by R has the mass sqrt(2 pT pT (cosh d_eta - cos d_phi))."""
    apart = 0.38
    expected = math.sqrt(2 * 250 * 200 * (1 - math.cos(apart)))
    boson = [*jet(250, 0.0, 2.0), *jet(200, 0.0, 2.0 + apart + 0.05)]
    soft = jet(80, 0.8, 2.0)  # more than 5 % of the fat jet
    (values,) = (variables(susy_2016_07, [HIDDEN, *boson, *jet(600, 0, -1.5)], [HIDDEN, *boson, *soft]),)
    masses = sorted((float(values["fat_1"][0]), float(values["fat_2"][0])))
    assert masses[1] == pytest.approx(expected * (apart + 0.05) / apart, rel=0.15)
    assert masses[0] < 20
    assert values["fat_1"][1] > masses[1] + 20
    assert values["fat_2"][1] == susy_2016_07.NONE


@needs_chain
def test_fat_jets_are_made_of_jets_above_25_gev() -> None:
    """The lighter prong of a boson counts with 40 GeV, though no other sum has jets below 50; not with 22."""
    apart = 0.9
    heavy = jet(250, 0.0, 2.0)
    values = variables(
        susy_2016_07,
        [HIDDEN, *heavy, *jet(40, 0.0, 2.0 + apart)],
        [HIDDEN, *heavy, *jet(22, 0.0, 2.0 + apart)],
    )
    assert values["fat_1"][0] == pytest.approx(math.sqrt(2 * 250 * 40 * (1 - math.cos(apart))), rel=0.15)
    assert values["fat_1"][1] < 20
    assert values["jets"].tolist() == [1, 1]
    assert values["meff"] == pytest.approx(values["etmiss"] + 250, rel=0.06)


WINDOWS = yaml.read(Path(__file__).parent / "zero_lepton.yaml")


@pytest.mark.parametrize(
    ("paper", "region"), [(paper, region) for paper in WINDOWS for region in WINDOWS[paper]]
)
def test_regions_have_the_windows_of_the_papers(paper: str, region: str) -> None:
    regions = SEARCHES[f"ATLAS-SUSY-{paper}"].regions
    windows: dict[str, tuple[float, float]] = {}
    for cut in regions[region].cuts:
        low, high = windows.get(cut.variable, (0, math.inf))
        windows[cut.variable] = max(low, cut.low), cut.high if math.isfinite(cut.high) else high
    assert windows.pop("leptons") == (0, 1)
    assert windows == {name: (*bounds, math.inf)[:2] for name, bounds in WINDOWS[paper][region].items()}
    if paper == "2018-22":
        assert regions[region.replace("m_eff", "significance")].cuts == regions[region].cuts


def test_bins_of_mb_ssd() -> None:
    """Both kinds of bins look at two jets alone, however many there are."""

    def takes(
        jets: int, pts: tuple[float, float], meff: float, significance: float, eta: float = 1.0
    ) -> bool:
        numbers = {
            "jets": jets,
            "jet_1": pts[0],
            "jet_2": pts[1],
            "eta_2": eta,
            "meff": meff,
            "etmiss_significance": significance,
        }
        columns = {name: np.array([float(value)]) for name, value in numbers.items()}
        return bool(selection("ATLAS-SUSY-2018-22").derive("ssd", columns)[0])

    assert takes(2, (300, 260), 1200, 12)
    assert not takes(2, (300, 240), 1200, 12)
    assert not takes(3, (300, 260), 1200, 12, eta=2.1)
    assert takes(4, (210, 110), 1200, 12)
    assert not takes(4, (300, 90), 1200, 12)
    assert not takes(4, (210, 110), 1200, 12, eta=2.1)
    assert takes(4, (300, 260), 3500, 25)
    assert not takes(4, (240, 230), 3500, 25)
    assert takes(5, (210, 110), 3500, 15)


@needs_chain
def test_soft_and_forward_third_and_fourth_jets_do_not_cost_a_bin_of_mb_ssd() -> None:
    event = [HIDDEN, *jet(300, 0.2, 3.0), *jet(150, -0.5, -2.2), *jet(60, 2.4, 2.0), *jet(55, -2.5, 1.5)]
    (values,) = (variables(susy_2018_22, event, [*event[:21], *event[41:]]),)
    assert values["jets"].tolist() == [4, 3]
    assert values["ssd"].tolist() == [1, 0]
