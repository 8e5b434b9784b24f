"""Regions, histograms and weights, on columns made by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.suites.collider.mocks import task_of

from assay.errors import UnknownName
from assay.suites.collider.chain import filters, samples, solving
from assay.suites.collider.chain.filters import FILTERS, Filter
from assay.suites.collider.chain.searches.regions import Cut, Region
from assay.suites.collider.chain.searches.registry import SEARCHES
from assay.suites.collider.chain.signal import points
from assay.suites.collider.chain.solving import EmptySelection, IllegalEvents
from assay.suites.collider.formats.histogram import Binning
from assay.suites.collider.problems import catalogue
from assay.suites.collider.problems.orders import WANTED, wanted_by

BINS = Binning("s", "PTMISS", "GEV", (100.0, 200.0, 300.0))
PASSING = {
    "trigger": 1.0, "photon_pt": 500.0, "photon_jet": 3.0, "jet_angle": 2.0, "ptmiss": 400.0, "mt": 800.0,
    "stgamma": 900.0,
}  # fmt: skip


def columns(*events: dict[str, float]) -> samples.Columns:
    names = SEARCHES["CMS-SUS-16-046"].variables
    rows = [PASSING | event for event in events]
    answer = {name: np.array([row[name] for row in rows]) for name in names}
    ids = np.arange(len(rows))
    return {"event_id": ids, "drawn": np.full(len(rows), 2), **answer}


def test_every_cms_task_is_wanted_of_its_point_in_every_form() -> None:
    for task_set in ("cms-v0", "cms-shape-v0", "cms-yield-v0", "smoke-v0", "binning-v0"):
        for index in range(10 if "cms" in task_set else 2):
            task = task_of(task_set, index)
            card, region = solving.card_of(task), solving.region_of(task)
            assert card.point == task.public["point"]
            assert card.paper == task.public["paper"]
            assert region.observable == task.public["histogram"]["observable"].lower()
            assert {cut.variable for cut in region.cuts} <= set(SEARCHES[card.paper].variables)
            kept = filters.FILTERS[card.filter_name].ptmiss
            lowest = min((c.low for c in region.cuts if c.variable == region.observable), default=-math.inf)
            assert kept < max(lowest, task.public["histogram"]["edges"][0]) or kept == 0


def test_ten_tasks_of_atlas_are_wanted_with_open_observables() -> None:
    """Their histograms begin where their regions do, or have lost the cut on what they show."""
    for index in range(10):
        task = task_of("atlas-jets-v0", index)
        card, region = solving.card_of(task), solving.region_of(task)
        assert (card.point, card.paper) == (task.public["point"], task.public["paper"])
        assert region.observable == task.public["histogram"]["observable"].lower()
        assert {cut.variable for cut in region.cuts} <= set(SEARCHES[card.paper].variables)
        lowest = max((c.low for c in region.cuts if c.variable == region.observable), default=0.0)
        assert lowest <= task.public["histogram"]["edges"][0]
        assert task.hidden["cross_section_error"] == points.rate(points.point(card.point)).relative_error


def test_other_tasks_are_refused() -> None:
    with pytest.raises(UnknownName, match="no selection"):
        wanted_by(catalogue.atlas()[4].id, 0.0)
    with pytest.raises(UnknownName, match="no selection"):
        solving.card_of(task_of("mock-v0", 0))


def test_windows_are_closed_below_and_open_above() -> None:
    region = Region("x", (Cut("from one", "x", 1.0), Cut("below three", "x", high=3.0)))
    assert region.passes({"x": np.array([0.9, 1.0, 2.9, 3.0])}).tolist() == [False, True, True, False]


def test_yields_are_counts_of_one_weight() -> None:
    task = task_of("cms-v0", 2)
    answer = solving.solution(task, columns({}, {"stgamma": 650.0}, {"stgamma": 5000.0}, {"mt": 299.0}))
    weight = 35.9 * 9.51032 / 8
    assert answer.weight == pytest.approx(weight)
    assert answer.counts == (1, 1, 0, 1)
    assert answer.yields == (answer.weight, answer.weight, 0.0, answer.weight)
    assert answer.errors[0] == answer.weight
    assert answer.filter_eff == 0.5
    assert [events for _, events, _ in answer.flow] == [4, 4, 4, 4, 3, 3, 3, 3]
    assert answer.noise == pytest.approx(1.0)


def test_an_empty_selection_is_an_error() -> None:
    with pytest.raises(EmptySelection, match="none of 2 events of TChiWg_700"):
        solving.solution(task_of("cms-v0", 2), columns({"mt": 0.0}, {"trigger": 0.0}))


def test_histograms_know_open_bins_and_refuse_what_is_no_number() -> None:
    assert solving.histogram(np.array([99.9, 100.0, 200.0, 1e9]), BINS) == (1, 2)
    with pytest.raises(IllegalEvents, match="event 1 is no number"):
        solving.histogram(np.array([150.0, math.nan]), BINS)


@pytest.mark.parametrize("weight", [-0.1, math.nan, math.inf])
def test_weights_that_are_none_are_refused(weight: float) -> None:
    with pytest.raises(IllegalEvents, match="event 1 has the weight"):
        solving.weighted_histogram([150, 250], [1.0, weight], BINS)
    sums, errors = solving.weighted_histogram([150, 250, 9e9, 1], [0.5, 0.25, 0.25, 7.0], BINS)
    assert sums == (0.5, 0.5)
    assert errors == (0.5, pytest.approx(math.sqrt(0.125)))


def test_rates_are_those_of_the_papers() -> None:
    assert points.rate(points.point("T6gg_1750_1650")).xsec_fb == pytest.approx(0.517017)
    assert points.rate(points.point("T5Wg_1600_100")).xsec_fb == 8.10078
    z = points.rate(points.point("TChiWZ_550_200"))
    assert (z.xsec_fb, z.br) == (30.1656, pytest.approx(0.0673, abs=1e-4))
    squarks = points.rate(points.point("Sq_1800_600"))
    assert (squarks.xsec_fb, squarks.relative_error) == (pytest.approx(0.8 * 0.456637), 0.209)
    assert all(points.rate(points.point(name)).relative_error for name in points.PUBLISHED)
    with pytest.raises(UnknownName, match=r"stop-pair at 850 GeV[\s\S]*800, 900, 1000"):
        points.rate(points.point("T2tt_850_50"))


def test_filters_ask_for_what_their_names_say() -> None:
    photon, hidden = (22, 200.0, 0.0, 0.0), (1000039, -200.0, 0.0, 0.0)
    forward = (22, 200.0, 0.0, 1000.0)
    electron, muon, tau = (11, 0.0, 20.0, 0.0), (-13, 0.0, -20.0, 0.0), (15, 0.0, 20.0, 0.0)
    assert filters.passes(FILTERS["hard-photon"], [photon, hidden])
    assert not filters.passes(FILTERS["hard-photon"], [photon])
    assert not filters.passes(FILTERS["hard-photon"], [forward, hidden])
    assert filters.passes(FILTERS["lepton"], [electron])
    assert not filters.passes(FILTERS["lepton"], [tau])
    assert filters.passes(Filter(leptons=1, tau_pt=10.0), [tau])
    assert filters.passes(Filter(leptons=2), [electron, muon])
    assert not filters.passes(FILTERS["dilepton"], [electron, muon])
    assert filters.passes(FILTERS["none"], [])


def test_every_wanted_filter_and_point_exists() -> None:
    for wanted in WANTED.values():
        assert wanted.filter_name in FILTERS
        assert points.point(wanted.point).name in points.PUBLISHED


def test_lines_have_three_decimals_and_whole_numbers() -> None:
    answer = columns({"ptmiss": 400.1236})
    text = samples.lines({name: np.round(array, 3) for name, array in answer.items()})
    assert text == "0,2,1.000,500.000,3.000,2.000,400.124,800.000,900.000\n"
