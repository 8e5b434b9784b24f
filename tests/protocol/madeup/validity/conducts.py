"""Known conduct in the made-up suite: urns that are drawn from, or not, and answered right or wrong."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
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


def described(task: Task, stream: Stream) -> Iterator[KnownConduct]:
    """Describe somebody who draws a ball, and somebody who answers without one."""

    def act(draws: int, brief: Brief, call: Call, stream: Stream, hidden: Any) -> Conduct:
        if draws:
            call("draw", {"n": draws})
        call("answer", {"text": str(hidden["colours"].count("r"))})
        call("finish", {})
        return Conduct() if draws else Conduct(frozenset({"unseen"}))

    yield KnownConduct("draws", partial(act, 1), "draws a ball and is right", True)
    yield KnownConduct("does-not-draw", partial(act, 0), "is right without a ball", False)


TRIAL = Trial({"madeup-v0": 1}, {"composed": drawn(2, composed), "independent": described})
