"""The files of `data/searches`, and the engine that reads them."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.suites.collider.chain.searches import regions, registry
from assay.suites.collider.chain.searches.regions import SearchFileError, selection
from assay.suites.collider.formats import documents

FOLDER = documents.DATA / "searches"
CUTS = [
    (paper, name, cut)
    for paper, search in registry.SEARCHES.items()
    for name, region in search.regions.items()
    for cut in region.cuts
]


def test_every_file_is_declared_so_that_jobs_depend_on_it() -> None:
    declared = {Path(name).name for name in regions.DATA_FILES}
    assert declared == {path.name for path in FOLDER.iterdir()}
    searches = {f"{paper.lower()}.yaml" for paper in registry.SEARCHES}
    assert declared == {*searches, "zero-lepton.yaml"}


@pytest.mark.parametrize(("paper", "region", "cut"), CUTS, ids=lambda value: str(value)[:40])
def test_a_number_in_a_label_is_a_bound_of_its_cut(paper: str, region: str, cut: regions.Cut) -> None:
    named = [float(text) for text in re.findall(r"(?<![\w(])\d+(?:\.\d+)?(?![\w)])", cut.label)]
    assert set(named) <= {cut.low, cut.high}, (paper, region, cut)
    assert len(cut.source) > 20
    if "GeV" in cut.label:
        assert cut.unit == "GeV"


@pytest.mark.parametrize("paper", registry.SEARCHES)
def test_every_number_of_an_object_is_read_by_its_name(paper: str) -> None:
    module = paper.lower().split("-", 1)[1].replace("-", "_")
    source = (Path(registry.__file__).parent / f"{module}.py").read_text(encoding="utf-8")
    for name in selection(paper).objects:
        assert f'number("{name}")' in source
    with pytest.raises(SearchFileError, match="no 'colour' among its objects"):
        selection(paper).number("colour")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("source", "hearsay", "no source 'hearsay'"),
        ("variable", "charm", "no variable 'charm'"),
        ("most", 3, "an unknown key"),
    ],
)
def test_a_cut_that_cannot_be_followed_is_refused(
    monkeypatch: pytest.MonkeyPatch, key: str, value: Any, message: str
) -> None:
    paper = "CMS-SUS-16-046"
    document = copy.deepcopy(documents.packaged("searches/cms-sus-16-046.yaml"))
    document["regions"]["signal"]["cuts"][2][key] = value
    monkeypatch.setattr(documents, "packaged", lambda name: document)
    with pytest.raises(SearchFileError, match=message):
        selection.__wrapped__(paper)


def test_a_derived_variable_is_any_of_its_alternatives() -> None:
    names = ("eta_2", "jet_1", "jet_2", "jets", "meff", "etmiss_significance")
    rows = [(1, 300, 260, 2, 4000, 30), (1, 300, 150, 4, 2000, 30), (1, 300, 150, 4, 4000, 30)]
    columns = {
        name: np.array(values, float) for name, values in zip(names, zip(*rows, strict=True), strict=True)
    }
    assert selection("ATLAS-SUSY-2018-22").derive("ssd", columns).tolist() == [1, 1, 0]


def test_steps_of_a_published_cut_flow_are_the_cuts_of_its_region() -> None:
    for name, flow in documents.packaged("published_cut_flows.yaml").items():
        paper, region, _ = name.split(" ")
        labels = [cut.label for cut in selection(paper).regions[region].cuts]
        steps = [label for step in flow["steps"] for label in step.get("cuts", ())]
        assert sorted(steps) == sorted(labels)
        left = [step["events"] for step in flow["steps"]]
        assert left == sorted(left, reverse=True)
