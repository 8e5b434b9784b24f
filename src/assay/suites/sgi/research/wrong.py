"""Replies to a question that are wrong in one named way, each with the scores that this must cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.suites.sgi.research.items import reply


@dataclass(frozen=True)
class Wrong:
    """A reply with the EM and SLA of profile `objective` that it must get."""

    reply: str
    em: float
    sla: float


def _trap(row: Mapping[str, Any]) -> str:
    """The first wrong answer that a trap leads to."""
    answer: str = next(trap["answer"] for trap in row["x_traps"] if trap["answer"] is not None)
    return answer


def right_steps_wrong_answer(row: Mapping[str, Any]) -> Wrong:
    """All steps are right, the answer is that of a trap."""
    return Wrong(reply(row["x_steps"], _trap(row)), 0.0, 1.0)


def right_answer_wrong_steps(row: Mapping[str, Any]) -> Wrong:
    """The answer is right, every step names a document that does not exist and a value that is wrong."""
    steps = [
        {**step, "doc_id": "D9999" if step["doc_id"] else None, "value": "-1"} for step in row["x_steps"]
    ]
    return Wrong(reply(steps, row["answer"]), 1.0, 0.0)


def one_safe_step(row: Mapping[str, Any]) -> Wrong:
    """The right answer after one step, which is right."""
    return Wrong(reply(row["x_steps"][:1], row["answer"]), 1.0, 1 / len(row["x_steps"]))


def answer_alone(row: Mapping[str, Any]) -> Wrong:
    """The right answer without a word on how."""
    return Wrong(f"<answer>{row['answer']}</answer>", 1.0, 0.0)


def silent(row: Mapping[str, Any]) -> Wrong:
    """Nothing."""
    return Wrong("<answer></answer>", 0.0, 0.0)


WRONG: Mapping[str, Callable[[Mapping[str, Any]], Wrong]] = {
    "right-steps-wrong-answer": right_steps_wrong_answer,
    "right-answer-wrong-steps": right_answer_wrong_steps,
    "one-safe-step": one_safe_step,
    "answer-alone": answer_alone,
    "silent": silent,
}
