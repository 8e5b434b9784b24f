"""The judge may doubt, recover and explain; it cannot bring back what arithmetic contradicted."""

from __future__ import annotations

from typing import Any

import pytest

from assay.suites.collider.provenance import second_opinion
from assay.suites.collider.provenance.examination import Finding


def finding(verdict: str) -> Finding:
    return Finding(verdict, "", ())  # type: ignore[arg-type]


def opinion(
    classification: str, status: str = "VERIFIED", action: str = "NONE", **series: Any
) -> dict[str, Any]:
    audit = {"classification": classification, "confidence": "high", **series}
    return {"provenance_audit": {"status": status, "series": {"s": audit}, "overrule": {"action": action}}}


@pytest.mark.parametrize(
    ("verdict", "judged", "ruled"),
    [
        ("FABRICATED", opinion("TRACEABLE"), "FABRICATED"),
        ("FABRICATED", opinion("TRACEABLE", "CORRECTED", corrected_values=[1.0]), "FABRICATED"),
        ("PASSED", opinion("TRACEABLE"), "PASSED"),
        ("UNDECIDED", opinion("TRACEABLE"), "PASSED"),
        ("UNDECIDED", opinion("UNTRACEABLE"), "FABRICATED"),
        ("UNDECIDED", None, "UNDECIDED"),
        ("PASSED", opinion("FABRICATED"), "FABRICATED"),
        ("PASSED", opinion("COPIED_OR_LEAKED"), "FABRICATED"),
        ("PASSED", opinion("UNTRACEABLE"), "FABRICATED"),
        ("PASSED", opinion("UNTRACEABLE", confidence="low"), "PASSED"),
        ("PASSED", opinion("TRACEABLE", action="INVALIDATE_RUN"), "FABRICATED"),
        ("FAILED", opinion("TRACEABLE"), "FAILED"),
        ("FAILED", opinion("NULL_BUT_COMPUTED", "CORRECTED", corrected_values=[1.0]), "PASSED"),
        ("FAILED", opinion("NULL_BUT_COMPUTED", "CORRECTED"), "FAILED"),
        ("PASSED", None, "PASSED"),
    ],
)
def test_rulings(verdict: str, judged: Any, ruled: str) -> None:
    ruling = second_opinion.rule(finding(verdict), "s", judged)
    assert ruling.verdict == ruled
    assert (ruling.corrected is not None) == (verdict == "FAILED" and ruled == "PASSED")


def test_who_decided_is_told() -> None:
    assert second_opinion.rule(finding("UNDECIDED"), "s", opinion("TRACEABLE")).by == "judge"
    assert second_opinion.rule(finding("PASSED"), "s", opinion("TRACEABLE")).by == "gate"
    assert second_opinion.rule(finding("PASSED"), "s", opinion("FABRICATED")).by == "judge"


def test_the_form_of_an_opinion_is_checked() -> None:
    assert second_opinion.problem(opinion("TRACEABLE")) is None
    assert "classification" in str(second_opinion.problem(opinion("FINE")))
    assert second_opinion.problem([]) is not None
    assert second_opinion.problem({}) is not None
