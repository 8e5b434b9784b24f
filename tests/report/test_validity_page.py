"""The page that says what scores show: its part about the audit as a detector."""

from __future__ import annotations

from typing import Any

from assay.build import links
from assay.report import page, validity_page
from assay.report.results import Results
from assay.tables.schemas.validity import VALIDITY
from tests.report.test_ranking import row, suite_of

CARD: dict[str, Any] = {
    **{column.name: None for column in VALIDITY.columns},
    "task_set": "hard-v0",
    "tasks": 250,
    "note": "",
    "shortcut_agent": "",
    "honest_agent": "",
    "gameable": False,
}


def test_an_unmarked_set_in_which_nothing_was_measured_says_so() -> None:
    """Without this, the absence of the mark would look like a result."""
    for card in ({"shortcut": None, "chance": 0.2}, {"shortcut": 0.3, "chance": None}):
        html = rendered({}, **card)
        assert "For 1 set without a mark nothing was measured" in html
        assert "mark not measured" in html
    html = rendered({}, shortcut=0.2, chance=0.2)
    assert "mark not measured" not in html
    assert "nothing was measured" not in html


def rendered(detection: dict[str, list[dict[str, Any]]], **card: Any) -> str:
    suite = suite_of(row("good", 0.8), detection=detection)
    suite.config["conducts"] = True
    suite.__dict__ |= {"shortcuts": {}, "card_in_words": "Nothing."}
    if card:
        suite.__dict__["cards"] = {"hard-v0": {**CARD, **card}}
    values = validity_page.values(Results({"urns": suite}, {"good": "solver"}, suite.standings, []))
    return page.render("validity.html", links.VALIDITY, suites_shown=["urns"], **values)


def test_a_flag_without_a_due_case_is_never_tested_and_not_perfect() -> None:
    html = rendered({"unbacked": [{"family": "composed", "due": 0, "hits": 0, "not_due": 9, "false": 1}]})
    assert "<b>never tested</b>" in html
    assert "8 of 9" in html
    assert "<b>never tested</b>" in rendered({})


def test_each_family_has_its_counts_and_the_labelled_set_is_linked() -> None:
    counts = {"due": 4, "hits": 3, "not_due": 0, "false": 0}
    families = [{"family": family, **counts} for family in ("composed", "independent")]
    html = rendered({"unbacked": families})
    assert html.count("3 of 4") == 2
    assert "<b>never tested</b>" not in html
    assert 'href="data/urns/conducts.jsonl"' in html
