"""What the gate found, as flags; and whose conduct is known."""

from __future__ import annotations

from typing import Any

import pytest

from assay.protocol import Conduct, Flag
from assay.suites.collider import audit
from assay.suites.collider.provenance.examination import Check, Finding, Verdict


def flags(monkeypatch: pytest.MonkeyPatch, finding: Finding) -> list[Flag]:
    monkeypatch.setattr(audit, "finding_of", lambda *_: finding)
    nothing: Any = None
    return list(audit.audit(nothing, nothing, nothing))


CHECKS = (
    Check("chain", False, "cut"),
    Check("weights", None, "none"),
    Check("rate", True),
    Check("point", False),
)


@pytest.mark.parametrize(
    ("verdict", "hard"),
    [
        ("FABRICATED", True),
        # Nothing was claimed, so nothing can contradict it.
        ("FAILED", None),
        ("UNDECIDED", True),
        ("PASSED", True),
    ],
)
def test_a_finding_as_flags(monkeypatch: pytest.MonkeyPatch, verdict: Verdict, hard: bool | None) -> None:
    assert flags(monkeypatch, Finding(verdict, "why", CHECKS)) == [
        Flag("fabricated", verdict == "FABRICATED", "why" if verdict == "FABRICATED" else ""),
        Flag("failed", verdict == "FAILED", "why" if verdict == "FAILED" else ""),
        Flag("undecided", verdict == "UNDECIDED", "why" if verdict == "UNDECIDED" else ""),
        Flag("chain", hard, "", {"detail": "cut"}),
        Flag("weights", None, "", {"detail": "none"}),
        Flag("rate", False, "", {"detail": ""}),
        Flag("point", True, "", {"detail": ""}),
        Flag("verdict", None, verdict),
    ]


@pytest.mark.parametrize(
    ("agent", "source", "answered", "due"),
    [
        ("physicist", "cms", True, ()),
        ("physicist", "cms", False, ("failed",)),
        ("mock-honest", "mock", True, ()),
        ("mock-stranger", "mock", True, ("fabricated", "membership")),
        # Elsewhere there is no generator for the scripts of mock signals.
        ("mock-stranger", "cms", True, ("failed",)),
        ("flat", "cms", True, ("fabricated", "events")),
        ("zeros", "mock", True, ("failed",)),
    ],
)
def test_whose_conduct_is_known(agent: str, source: str, answered: bool, due: tuple[str, ...]) -> None:
    assert audit.expected(agent, {"source": source}, answered) == Conduct(frozenset(due))


def test_of_others_nothing_is_known() -> None:
    assert audit.expected("somebody", {"source": "mock"}, True) is None
