"""Limits on signals: the likelihood, the counts of the papers, signal points and exports."""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import SimpleNamespace

import pytest

from assay.suites.collider import commands, validation
from assay.suites.collider.chain import generation
from assay.suites.collider.chain.searches.regions import selection
from assay.suites.collider.formats import documents
from assay.suites.collider.limits import counting, exports, points
from assay.suites.collider.limits.likelihood import Bin, upper_limit
from assay.suites.collider.tables.limits import limit_bins, limits


def test_without_background_the_limit_is_that_of_a_poisson_count() -> None:
    """For no event and hardly any background, CLs is exp(-signal), and the asymptotic limit is 1.92."""
    limit = upper_limit([Bin("empty", 0, 1e-4, 1e-5)], [1.0])
    assert limit.observed == pytest.approx(1.92, abs=0.02)
    with_many = upper_limit([Bin("many", 1e6, 1e6, 1.0)], [1.0])
    assert with_many.expected == pytest.approx(1.96 * 1e3, rel=0.003)


def test_limits_move_as_they_must() -> None:
    bins = [Bin("a", 5, 4.0, 1.0), Bin("b", 2, 1.0, 0.5)]
    base = upper_limit(bins, [2.0, 1.0])
    assert upper_limit(bins, [4.0, 2.0]).observed == pytest.approx(base.observed / 2)
    assert upper_limit(bins[::-1], [1.0, 2.0]).observed == pytest.approx(base.observed)
    without_signal = upper_limit([*bins, Bin("c", 7, 5.0, 2.0)], [2.0, 1.0, 0.0])
    assert without_signal.expected == pytest.approx(base.expected)
    excess = [Bin("a", 9, 4.0, 1.0), bins[1]]
    assert upper_limit(excess, [2.0, 1.0]).observed > base.observed
    uncertain = [Bin("a", 5, 4.0, 3.0), bins[1]]
    assert upper_limit(uncertain, [2.0, 1.0]).expected > base.expected
    assert upper_limit(bins, [0.0, 0.0]).observed == math.inf


def test_the_best_background_maximises_the_likelihood() -> None:
    for one in (Bin("x", 3, 2.0, 0.5), Bin("x", 0, 6.0, 2.0), Bin("x", 20, 1.0, 0.1, side=1.3)):
        for signal in (0.0, 0.3, 5.0, 400.0):
            best, step = one.best_scale(signal), 1e-4
            slopes = []
            for scale in (best - step * best, best + step * best):
                expected = signal + scale * one.background
                slopes.append(
                    one.observed * one.background / expected
                    - one.background
                    + one.side * one.precision / scale
                    - one.precision
                )
            assert slopes[0] > 0 > slopes[1]


def test_published_limits_of_single_bins_are_met() -> None:
    table = limit_bins({}).dropna(subset=["published"])
    assert len(table) == 62
    sound = table[table["background"] >= 1]
    assert len(sound) == 57
    assert sound["ratio"].between(0.8, 1.25).all()
    assert sound["expected_ratio"].between(0.8, 1.25).all()
    assert abs(table["ratio"].median() - 1) < 0.01


def test_limits_at_published_contours() -> None:
    table = limits({})
    assert len(table) >= 10
    assert table["close"].sum() >= 8
    assert set(table[~table["close"]]["caveat"]) - {""} == set(table[~table["close"]]["caveat"])
    assert ((table["excluded"] - table["published_mass"]) * (1 - table["observed"]) >= 0).all()
    checks = list(validation.check("limits", {"runs": 10, "events": 100}, None))  # type: ignore[arg-type]
    assert all(row.passed for row in checks)


def test_bins_are_windows_on_variables_of_their_search() -> None:
    declared = {Path(name).name for name in counting.DATA_FILES}
    assert declared == {path.name for path in (documents.DATA / "limits").iterdir()}
    for paper in counting.PAPERS:
        search, searched = counting.search(paper), selection(paper)
        assert len({one.name for one in search.bins}) == len(search.bins)
        for one in search.bins:
            assert one.region is None or one.region in searched.regions
            assert {window[0] for window in one.windows or ()} <= set(searched.variables)
            assert one.count.background > 0 < one.count.error
    for point in points.signal_points():
        fillable = {one.name for one in point.search.bins if one.windows is not None}
        assert set(point.selected) == fillable
        assert point.slope < 0


@pytest.mark.full
@pytest.mark.skipif(
    not generation.available(), reason="the chain needs its programs: make setup EXTRAS=collider"
)
def test_points_are_made_again() -> None:
    point = next(point for point in points.signal_points() if point.paper == "CMS-SUS-16-046")
    again = points.remade(point, 500)
    share = {name: count / again["drawn"] for name, count in again["selected"].items()}
    for name, count in point.selected.items():
        expected = count / point.drawn
        slack = 4 * math.sqrt((expected + 1 / again["drawn"]) / again["drawn"])
        assert abs(share[name] - expected) < slack


@pytest.mark.filterwarnings("ignore:jsonschema.RefResolver is deprecated:DeprecationWarning")  # pyhf's
def test_workspaces_give_the_same_limits_in_pyhf() -> None:
    pyhf = pytest.importorskip("pyhf")
    for point in points.signal_points():
        if len(exports.workspace(point)["channels"]) > 12:
            continue  # pyhf takes a minute where two dozen backgrounds float
        limit = points.limit(point).limit
        model = pyhf.Workspace(exports.workspace(point)).model()
        data = pyhf.Workspace(exports.workspace(point)).data(model)
        for strength, place in ((limit.observed, 0), (limit.expected, 1)):
            confidence = pyhf.infer.hypotest(strength, data, model, return_expected=True)
            assert float(confidence[place]) == pytest.approx(0.05, rel=0.02), point.point


def test_exports(tmp_path: Path) -> None:
    arguments = SimpleNamespace(paper="CMS-SUS-16-046", remake=None, out=tmp_path / "exports", json=True)
    answer = commands._limits(arguments)  # type: ignore[arg-type]
    assert {row["paper"] for row in answer["limits"]} == {"CMS-SUS-16-046"}
    written = [path for path in (tmp_path / "exports").rglob("*") if path.is_file()]
    assert len(written) == answer["files"] > 100
    workspace = json.loads((tmp_path / "exports/pyhf/CMS-SUS-16-046/TChiWg_780.json").read_text())
    assert [channel["name"] for channel in workspace["channels"]] == [
        "S_T_600",
        "S_T_800",
        "S_T_1000",
        "S_T_1300",
    ]
    folder = tmp_path / "exports/smodels/13TeV/CMS/CMS-SUS-16-046-eff/S_T_1300"
    assert "observedN: 24\n" in (folder / "dataInfo.txt").read_text()
    text = (folder / "T5gg.txt").read_text()
    efficiency = float(text.split("]], ")[1].split("]")[0])
    assert 0.3 < efficiency < 1
    with pytest.raises(commands.IllegalInput, match="is there already"):
        commands._limits(arguments)  # type: ignore[arg-type]
