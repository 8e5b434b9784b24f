"""The generator and what the chain makes of its events. Needs `make setup EXTRAS=collider`."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
from tests.suites.collider.chain.events import chunk_of
from tests.suites.collider.mocks import task_of

from assay.cli.main import main
from assay.errors import NotBuilt
from assay.numbers import rng
from assay.suites.collider.chain import closure, filters, generation, runfolder, samples, solving
from assay.suites.collider.chain.detector import objects
from assay.suites.collider.chain.detector.jets import BOTTOM, LIGHT
from assay.suites.collider.chain.filters import FILTERS
from assay.suites.collider.chain.samples import Card
from assay.suites.collider.chain.searches.registry import SEARCHES
from assay.suites.collider.chain.signal import points
from assay.suites.collider.formats import eventfiles
from assay.suites.collider.generators import registry as generators
from assay.suites.collider.problems.hidden import question_of
from assay.suites.collider.problems.orders import generator_name
from assay.suites.collider.provenance import examination, runs

needs_chain = pytest.mark.skipif(
    not generation.available(), reason="the chain needs its programs: make setup EXTRAS=collider"
)
CARD = Card("CMS-SUS-16-046", "TChiWg_700", "hard-photon")


@needs_chain
def test_a_chunk_depends_on_nothing_but_its_number() -> None:
    point = points.point(CARD.point)
    first = generation.Source(point, CARD.filter_name)
    before = [first.chunk(4, number, 12) for number in (0, 1, 2)]
    fresh = generation.Source(point, CARD.filter_name)
    alone, part = fresh.chunk(4, 2, 12), fresh.chunk(4, 2, 5)
    for name in ("ids", "px", "energy", "mothers", "drawn"):
        result = getattr(alone, name)
        assert np.array_equal(result, getattr(before[2], name))
        assert np.array_equal(result[: len(getattr(part, name))], getattr(part, name))
    assert len(part) == 5
    assert not np.array_equal(before[0].px[:10], before[1].px[:10])
    assert not np.array_equal(before[0].px[:10], first.chunk(5, 0, 2).px[:10])


@needs_chain
def test_a_filter_that_nothing_passes_ends_with_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filters, "MOST_DRAWN", 50)
    never = generation.Source(points.point("T6gg_1750_1650"), "dilepton")
    with pytest.raises(generators.NothingPasses, match="none of 50 hard processes"):
        never.chunk(1, 0, 2)


@pytest.mark.parametrize(
    ("name", "other", "keeps"),
    [
        ("none", "hard-photon", True),
        ("photon", "hard-photon", True),
        ("hard-photon", "photon-ptmiss", False),
        ("photon-ptmiss", "photon", False),
        ("lepton", "lepton-ptmiss", True),
        ("dilepton", "lepton", False),
        ("lepton", "photon", False),
    ],
)
def test_a_looser_filter_keeps_all_that_another_keeps(name: str, other: str, keeps: bool) -> None:
    assert FILTERS[name].keeps(FILTERS[other]) == keeps


@needs_chain
def test_events_conserve_charge_and_momentum_and_pass_their_filter() -> None:
    chunk = samples.source(CARD.point, CARD.filter_name).chunk(1, 0, 10)
    for n in range(len(chunk)):
        part = slice(chunk.offsets[n], chunk.offsets[n + 1])
        final = chunk.final[part]
        assert chunk.charge[part][final].sum() == 6  # two protons, in thirds
        assert abs(chunk.px[part][final].sum()) < 0.01
        assert chunk.energy[part][final].sum() == pytest.approx(13000, rel=1e-4)
        photons = final & (chunk.ids[part] == 22)
        pt = np.hypot(chunk.px[part], chunk.py[part])
        assert pt[photons].max() > 0.6 * FILTERS[CARD.filter_name].photon_pt
    assert (chunk.drawn >= 1).all()


@needs_chain
def test_a_watched_filter_marks_events_and_stops_none() -> None:
    source = generation.Source(points.point(CARD.point), "none", watched=CARD.filter_name)
    chunk = source.chunk(1, 0, 40)
    assert (chunk.drawn == 1).all()
    assert 0 < chunk.marked.sum() < 40
    filtered = generation.Source(points.point(CARD.point), CARD.filter_name).chunk(1, 0, 3)
    assert filtered.marked.all()


@needs_chain
@pytest.mark.full
@pytest.mark.parametrize("name", sorted(closure.CLOSURES))
def test_closure(name: str) -> None:
    rows = list(closure.CLOSURES[name](400))
    assert rows
    for row in rows:
        assert row.low <= row.value <= row.high, row


@needs_chain
@pytest.mark.parametrize("paper", sorted(SEARCHES))
def test_variables_are_finite_and_as_declared(paper: str) -> None:
    point = {
        "CMS-SUS-16-034": "TChiWZ_550_200",
        "CMS-SUS-16-051": "T2tt_800_400",
        "ATLAS-SUSY-2016-07": "T5WW_1600_1590_60",
        "ATLAS-SUSY-2018-22": "Sq_1800_600",
    }.get(paper, CARD.point)
    result = samples.chunk(Card(paper, point, "none"), 3, 0, 12)
    assert tuple(result) == ("event_id", "drawn", *SEARCHES[paper].variables)
    assert all(np.isfinite(array).all() and len(array) == 12 for array in result.values())
    assert (result["drawn"] == 1).all()


@needs_chain
def test_objects_of_a_simple_event() -> None:
    """A photon, a muon, a jet with a b hadron and one without; what lies in a jet is no object."""
    jet = [(211, 60.0, 1.0, 2.0), (22, 40.0, 1.05, 2.05), (-211, 30.0, 1.0, 1.95)]
    bottom = [(511, 50.0, -1.0, -2.0), (211, 20.0, -1.0, -2.1)]
    event = [(22, 200.0, 0.2, 0.0), (13, 50.0, -0.5, 1.0), (13, 20.0, 1.0, 2.05), *jet, *bottom]
    result = objects.reconstruct(chunk_of(event, []), rng.stream(1, "simple"))
    assert [len(photons) for photons in result.photons] == [1, 0]
    assert result.photons.pt[0][0] == pytest.approx(200, rel=0.08)
    muons = result.leptons[0]
    assert [abs(muon.eta) for muon in muons] == pytest.approx([0.5, 1.0])
    assert muons.isolation[0] == 0
    assert muons.isolation[1] > 1
    jets = result.jets(np.array([True, True]))
    made = {round(float(j.eta)): int(j.flavour) for j in jets[0] if j.pt > 30 and abs(j.eta) > 0.8}
    assert made == {1: LIGHT, -1: BOTTOM}
    assert len(jets[1]) == 0
    assert [len(none) for none in result.jets(np.array([False, False]))] == [0, 0]


@needs_chain
def test_the_tags_of_many_jets_have_the_efficiencies() -> None:
    import awkward as ak

    from assay.suites.collider.chain.detector import tagging

    many = 4000
    jets = ak.zip({"pt": np.full((many, 2), 120.0), "flavour": np.full((many, 2), BOTTOM)})
    jets = ak.from_regular(jets)
    result = tagging.tag(jets, rng.stream(1, "tags"))
    for working_point, expected in zip(
        (tagging.TIGHT, tagging.MEDIUM, tagging.LOOSE),
        tagging.efficiencies(np.array([120.0]), np.array([BOTTOM])),
        strict=True,
    ):
        share = float(ak.mean(result.tag >= working_point))
        assert share == pytest.approx(expected[0], abs=4 * (0.25 / (2 * many)) ** 0.5)
    assert ak.all(result.discriminator // 1 == result.tag)


@needs_chain
@pytest.mark.parametrize("card", [CARD, Card("ATLAS-SUSY-2016-07", "T5WW_1600_1590_60", "none")])
def test_shards_do_not_matter(card: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "CHUNK", 8)
    whole = samples.sample(card, 2, 20)
    parts = samples.joined([samples.chunk(card, 2, n, count) for n, count in samples.chunks(20)[::-1]][::-1])
    assert samples.lines(whole) == samples.lines(parts)
    assert whole["event_id"].tolist() == list(range(20))


@needs_chain
def test_solve_writes_a_run_that_the_gate_can_follow(tmp_path: Path) -> None:
    task = task_of("smoke-v0", 0)
    solved = [runfolder.solve(task, 25, 3, tmp_path / name) for name in ("a", "b")]
    assert (solved[0]["verdict"], solved[0]["needs_judge"], solved[0]["n_generated"]) == ("PASSED", False, 25)
    folders = [sorted(path for path in (tmp_path / n).rglob("*") if path.is_file()) for n in ("a", "b")]
    digests = [[hashlib.sha256(path.read_bytes()).hexdigest() for path in files] for files in folders]
    assert digests[0] == digests[1]
    run = runs.of_folder(tmp_path / "a")
    finding = examination.examine(run, question_of(task))
    assert finding.check("regeneration").detail == "1 of 1 shards made again"
    assert all(check.passed for check in finding.checks)
    direct = solving.solve(task, 25, 3)
    assert tuple(solved[0]["yields"]) == direct.yields
    events = eventfiles.read("data/selected.csv", run.files["data/selected.csv"])
    assert len(events.ids) == sum(direct.counts)
    with pytest.raises(runfolder.FolderInUse):
        runfolder.solve(task, 25, 3, tmp_path / "a")


@needs_chain
def test_the_command_and_its_mistakes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["collider", "solve", "smoke-v0/0", "--out", str(tmp_path / "x"), "--events"]
    assert main([*words, "0"]) == 1
    assert "--events or --seed is out of range" in capsys.readouterr().err
    assert main(["collider", "solve", "atlas-v0/4", "--out", str(tmp_path / "x"), "--events", "5"]) == 1
    assert "no selection for" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


@needs_chain
def test_cards_say_what_is_wrong() -> None:
    card = CARD.to_json()
    assert generators.card_problem(card) is None
    assert "filter is one of" in str(generators.card_problem(card | {"filter": "many"}))
    assert "is no signal point" in str(generators.card_problem(card | {"point": "T2tt_1_2"}))
    assert "point is a text" in str(generators.card_problem(card | {"point": 3}))
    assert "has the keys" in str(generators.card_problem(card | {"mass": 3}))
    assert "generator is one of" in str(generators.card_problem(card | {"generator": "pythia-mine"}))


def test_without_its_programs_the_chain_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pythia8mc", None)
    with pytest.raises(NotBuilt, match="pythia8mc is not installed"):
        generation.library()
    monkeypatch.setattr(generation, "available", lambda: False)
    assert generators.find(generator_name("CMS-SUS-16-046")) is None
