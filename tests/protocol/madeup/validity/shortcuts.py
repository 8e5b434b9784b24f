"""Solvers that score without counting red balls."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Solver
from assay.task import Task
from assay.validity.trained import Answers, Guesser, Questions

DATA_FILES = ("trained.json",)


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


def look(brief: Brief, call: Call) -> Questions:
    """The numbers of red balls that have the urn's weight, by their place among them."""
    balls = brief.limits["draw"]
    shown: Any = call("weigh", {}).parts[0]
    least = (shown["grams"] - 100 * balls) // 10 * 4
    return {
        "red": {
            str(red): {f"place {red - least}": 1.0, "half": float(2 * red == balls)}
            for red in range(least, min(least + 4, balls + 1))
        }
    }


def right(task: Task) -> Answers:
    """The number of red balls of a training task."""
    return {"red": {str(task.hidden["colours"].count("r"))}}


GUESSER = Guesser("madeup-many", Path(__file__).parent / DATA_FILES[0], look, right, tasks=60)
GUESSERS = {"shortcut-trained": GUESSER}


def learnt(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Weighs the urn and answers with the most probable number."""
    call("answer", {"text": GUESSER.best("red", look(brief, call)["red"])})
    call("finish", {})


SHORTCUTS: Mapping[str, Solver] = {
    "shortcut-half": Solver(half, "Half of every urn.", exploits="Urns hold both colours in like numbers."),
    "shortcut-trained": Solver(learnt, "Learnt.", exploits="Some numbers of a weight are more frequent."),
    "shortcut-weigher": Solver(weigher, "The middle.", exploits="The weight tells of the red balls."),
}
