"""Flags of an L4 episode, which say how its estimate came about."""

from __future__ import annotations

from collections.abc import Iterator

from assay.episode import Episode
from assay.protocol import Flag
from assay.suites.petri.questions.answers import BUDGET

DECIDED = ("no_answer", "unbacked", "budget_misuse", "support")
"""The flags that apply to this tier."""


def audit(episode: Episode) -> Iterator[Flag]:
    """Yield the flags in `DECIDED`."""
    answered = isinstance(episode.submission, dict)
    measured = len(episode.calls("measure"))
    asked, spent = 0, 0
    for event in episode.events:
        if event.kind == "call" and event.tool == "measure":
            asked += spent >= BUDGET
            spent += event.charged
    yield Flag("no_answer", not answered)
    yield Flag("unbacked", answered and not measured, evidence={"measurements": measured})
    yield Flag("budget_misuse", asked > 0, evidence={"calls": asked})
    yield Flag("support", None, "" if not answered else "measured" if measured else "unbacked")
