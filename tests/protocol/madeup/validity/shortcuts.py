"""Solvers that score without counting red balls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Solver


def half(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Answers that half of the balls are red."""
    call("answer", {"text": str(brief.limits["draw"] // 2)})
    call("finish", {})


def weigher(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Weighs the urn and answers with the middle of the numbers that have its weight."""
    balls = brief.limits["draw"]
    shown: Any = call("weigh", {}).parts[0]
    least = (shown["grams"] - 100 * balls) // 10 * 4
    call("answer", {"text": str(min(least + 2, balls))})
    call("finish", {})


SHORTCUTS: Mapping[str, Solver] = {
    "shortcut-half": Solver(half, "Half of every urn.", exploits="Urns hold both colours in like numbers."),
    "shortcut-weigher": Solver(weigher, "The middle.", exploits="The weight tells of the red balls."),
}
