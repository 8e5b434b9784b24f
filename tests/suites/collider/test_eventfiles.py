"""Event files: CSV, ROOT as this test writes it, and the counters beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.suites.collider.mocks import mock_task

from assay.suites.collider.drills.honest import honest_run
from assay.suites.collider.formats import eventfiles
from assay.suites.collider.formats.eventfiles import Unreadable
from assay.suites.collider.problems.hidden import question_of
from assay.suites.collider.provenance.examination import examine
from assay.suites.collider.tools.scripts import COUNTERS, SAMPLE, SCRIPT, SELECTED

COLUMNS: dict[str, list[Any]] = {
    "event_id": [0, 3, 4],
    "weight": [0.1, 0.1, 0.1],
    "selected": [True, False, True],
    "ptmiss": [210.5, 150.25, 900.0],
}
TYPES = {"event_id": "int64", "weight": "float64", "selected": "bool", "ptmiss": "float64"}
ROOT = SELECTED.replace(".csv", ".root")


def root_file(path: Path, columns: dict[str, list[Any]], *, kind: str = "tree", times: int = 1) -> bytes:
    """The bytes of a ROOT file with one tree, written `times` times (cycles) or as an RNTuple."""
    uproot = pytest.importorskip("uproot", reason="ROOT files need uproot: make setup EXTRAS=collider")
    import numpy as np

    arrays = {name: np.array(values, dtype=TYPES.get(name)) for name, values in columns.items()}
    with uproot.recreate(path) as file:
        for _ in range(times):
            if kind == "tree":
                file.mktree("selected", {name: array.dtype for name, array in arrays.items()}).extend(arrays)
            else:
                file.mkrntuple("selected", arrays)
        file["h"] = np.histogram(arrays["weight"])
    return path.read_bytes()


@pytest.mark.parametrize("kind", ["tree", "rntuple"])
@pytest.mark.parametrize("times", [1, 2])
def test_a_tree_reads_like_the_same_columns_in_csv(tmp_path: Path, kind: str, times: int) -> None:
    events = eventfiles.read(ROOT, root_file(tmp_path / "x.root", COLUMNS, kind=kind, times=times))
    lines = [",".join(COLUMNS), *(",".join(map(str, map(float, row))) for row in zip(*COLUMNS.values()))]  # noqa: B905
    as_csv = eventfiles.read(SELECTED, "\n".join(lines).encode())
    assert (events.ids, dict(events.columns)) == ([0, 3, 4], dict(as_csv.columns))


def test_a_root_file_is_examined_and_needs_a_judge(tmp_path: Path) -> None:
    task = mock_task(1)
    for factor, verdict in ((1.0, "UNDECIDED"), (1.3, "FABRICATED")):
        record = honest_run(task, 3, 600)
        events = eventfiles.read(SELECTED, record.files.pop(SELECTED))
        columns = {name: list(values) for name, values in events.columns.items()}
        columns["ptmiss"] = [factor * value for value in columns["ptmiss"]]
        data = root_file(tmp_path / "x.root", {**columns, "event_id": list(events.ids)})
        sample = {SAMPLE: record.files[SAMPLE]}
        record.analysed(SCRIPT, sample, {ROOT: data, COUNTERS: record.files[COUNTERS]}, 0)
        finding = examine(record.finished(), question_of(task))
        assert finding.verdict == verdict, finding.reason
        if factor == 1.0:  # its script writes CSV, since ROOT files cannot be written in the sandbox
            assert finding.reason.endswith(f"{ROOT} is not written from other events"), finding.reason
    assert "membership" in finding.contradicted


def test_broken_root_files_say_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = root_file(tmp_path / "x.root", COLUMNS)
    two = tmp_path / "two.root"
    import uproot

    with uproot.recreate(two) as file:
        for name in ("a", "b"):
            file.mktree(name, {"event_id": "int64"}).extend({"event_id": [1]})
    jagged = tmp_path / "jagged.root"
    with uproot.recreate(jagged) as file:
        file.mktree("a", {"event_id": "var * int64"}).extend({"event_id": [[1, 2], [3]]})
    for data, message in (
        (b"", "uproot cannot read it"),
        (b"root", "uproot cannot read it"),
        (whole[:300], "uproot cannot read it"),
        (two.read_bytes(), "it holds 2 trees, and not one"),
        (jagged.read_bytes(), "uproot cannot read it"),
        (root_file(tmp_path / "y.root", {"weight": [1.0]}), "there is no column event_id"),
    ):
        with pytest.raises(Unreadable, match=message):
            eventfiles.read(ROOT, data)
    monkeypatch.setattr(eventfiles, "MOST_EVENTS", 2)
    with pytest.raises(Unreadable, match="more than 2 events"):
        eventfiles.read(ROOT, whole)


def test_damaged_root_files_end_in_a_reason(tmp_path: Path) -> None:
    import random

    draw = random.Random(5)
    whole = root_file(tmp_path / "x.root", COLUMNS)
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(draw.randint(1, 8)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        try:
            eventfiles.read(ROOT, bytes(data))
        except Unreadable as problem:
            assert ROOT in str(problem)


def test_without_uproot_a_root_file_is_refused_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "uproot", None)
    with pytest.raises(Unreadable, match="need the package uproot; write CSV"):
        eventfiles.read(ROOT, b"root")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_generated": 0}, "n_generated is missing or no positive number"),
        ({"n_generated": 1.5}, "n_generated is no whole number"),
        ({"xsec_fb": None}, "xsec_fb is missing"),
        ({"br": True}, "br is missing or no positive number"),
        ({"lumi_fb": 10**400}, "lumi_fb is missing or no positive number"),
        ({"series": 3}, "series is missing or no text"),
    ],
)
def test_counters_say_what_is_missing(change: dict[str, Any], message: str) -> None:
    legal = {"series": "s", "sample": SAMPLE, "n_generated": 5, "xsec_fb": 1, "lumi_fb": 1, "br": 1}
    text = json.dumps({**legal, "filter_eff": 1.0, **change})
    with pytest.raises(Unreadable, match=message):
        eventfiles.read_counters(COUNTERS, text.encode())
