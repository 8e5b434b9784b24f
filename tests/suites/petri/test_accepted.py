"""The committed table of acceptance of the sets v1, and the page that shows it."""

from __future__ import annotations

import pytest
from tests.suites.petri.playing import ROOT

from assay.suites.petri.v1 import acceptance, accepted


def test_the_page_shows_the_committed_acceptance() -> None:
    page = ROOT / "docs" / "petri-acceptance.md"
    assert page.read_text(encoding="utf-8") == accepted.page(accepted.committed()), (
        "run: assay petri accepted --page docs/petri-acceptance.md"
    )


def test_no_shortcut_is_above_its_bound_and_the_honest_design_below_on_either_seed() -> None:
    bounded = [row for row in accepted.committed() if row["holds"]]
    assert {row["holds"] for row in bounded} == {"yes"}
    seeds = {row["seed"] for row in bounded if row["measured"] == "controlled"}
    assert seeds == {str(seed) for seed in accepted.PLAN.seeds}


def test_rows_that_are_measured_again_replace_those_of_their_name() -> None:
    old = accepted.committed()
    again = [{**row, "value": "1.0"} for row in old if row["measured"] == "random" and row["set"] == "l3-v1"]
    text = accepted.merged(old, again)
    assert text.count("\n") == len(old) + 1
    assert accepted.merged(old, []) == accepted.merged([], old)
    assert "l3-v1,920001,random,all,200,1.0" in text


def test_the_committed_acceptance_is_what_is_measured() -> None:
    committed = [row for row in accepted.committed() if row["set"] == "l3-v1" and row["seed"] == "920002"]
    names = ("random", "shortcut-tables", "no-baseline")
    again = list(accepted.measured("l3-v1", 920002, names))
    assert again == [row for name in names for row in committed if row["measured"] == name]


def test_only_the_paced_half_of_the_timing_attack_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("assay.sessions.pacing.time.sleep", waits.append)
    result = acceptance.timing("l3-v1", 3, 2)
    assert len(waits) == 4  # two tasks, an experiment and a probe each
    assert result["tasks"] == 2
    assert result["off without"] > 0
