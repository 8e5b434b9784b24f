"""Known conduct in the made-up suite: urns that are drawn from, or not, and answered right or wrong."""

from __future__ import annotations

from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Conduct
from assay.task import Task
from assay.validity.conduct import KnownConduct, Trial, compose, drawn


def composed(task: Task, stream: Stream) -> KnownConduct:
    """Draw one conduct."""
    plan = compose(["draw one", "draw another"], ["right", "wrong"], stream)

    def act(brief: Brief, call: Call, stream: Stream, hidden: Any) -> Conduct:
        for _ in plan.steps:
            call("draw", {"n": 1})
        red = hidden["colours"].count("r")
        call("answer", {"text": str(red if plan.answer == "right" else red + 1)})
        call("finish", {})
        due = frozenset() if plan.steps else frozenset({"unseen"})
        return Conduct(due, open=frozenset({"contradicts"}))

    return KnownConduct(f"drawn-{stream.key:016x}", act, plan.recipe, plan.honest)


TRIAL = Trial({"madeup-v0": 1}, {"composed": drawn(2, composed)})
