"""Replies that are wrong in one named way, each with the MCA and RV that this must cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.suites.sgi.metrics.reasoning import letter
from assay.suites.sgi.reasoning.items import reply
from assay.suites.sgi.reasoning.options import FILLING, RIGHT

EXTRA = 20


@dataclass(frozen=True)
class Wrong:
    """A reply with the MCA and RV (0 to 1) of profile `objective` that it must get."""

    reply: str
    mca: float
    rv: float


def _false(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """No reading with a number: whatever a formula would make of wrong ones is left open."""
    return [{**one, "value": "cannot be read"} for one in row["x_readings"]]


def right_steps_wrong_answer(row: Mapping[str, Any]) -> Wrong:
    """Reads everything right and takes the first option that a named error leads to."""
    at = next(k for k, label in enumerate(row["x_option_labels"]) if label not in (RIGHT, FILLING))
    return Wrong(reply(row["x_readings"], letter(at)), 0.0, 0.7)


def right_answer_wrong_steps(row: Mapping[str, Any]) -> Wrong:
    """The right letter above readings of which none holds a number."""
    return Wrong(reply(_false(row), letter(row["answer"])), 1.0, 0.0)


def answer_alone(row: Mapping[str, Any]) -> Wrong:
    """The right letter without any reading."""
    return Wrong(f"\\boxed{{{letter(row['answer'])}}}", 1.0, 0.0)


def flood(row: Mapping[str, Any]) -> Wrong:
    """The right readings among twenty others that nobody asked for."""
    n = len(row["x_readings"])
    others = [{"panel": "9", "quantity": f"spare {k}", "value": k, "unit": ""} for k in range(EXTRA)]
    text = reply([*row["x_readings"], *others], letter(row["answer"]))
    return Wrong(text, 1.0, min(1.0, 2 * n / (n + EXTRA)))


def beyond(row: Mapping[str, Any]) -> Wrong:
    """The right readings and the letter after the last option."""
    return Wrong(reply(row["x_readings"], letter(len(row["options"]))), 0.0, 0.7)


WRONG: Mapping[str, Callable[[Mapping[str, Any]], Wrong]] = {
    "right-steps-wrong-answer": right_steps_wrong_answer,
    "right-answer-wrong-steps": right_answer_wrong_steps,
    "answer-alone": answer_alone,
    "flood": flood,
    "beyond": beyond,
}
