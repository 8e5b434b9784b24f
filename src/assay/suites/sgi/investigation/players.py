"""The room of an inquiry: nine answers, each followed by the next stage's text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from assay.protocol import Brief, Call, Door, Json, Result, Tool
from assay.suites.sgi.investigation.inquiry import ORDER, texts_of
from assay.suites.sgi.investigation.readers import Solver

SYSTEM = (
    "You are a careful scientist. You carry out one inquiry in five stages. Each message asks for one answer "
    "in the form that it states, nine in all. There is no second try."
)
ARMS = {"chained": "Your own results.", "given": "The results of a reference."}


class Room:
    """One inquiry: every answer is met by the next stage."""

    def __init__(self, row: Mapping[str, Any], answer: Tool) -> None:
        self._answer, self._replies = answer, dict[str, str]()
        self._texts = texts_of(dict(row), self._replies)
        self._stage, self._text = next(self._texts)

    def brief(self) -> Brief:
        """The first stage."""
        limits = {"calls": 20, "answer": len(ORDER)}
        return Brief(SYSTEM, (self._text,), (self._answer,), limits, reply="answer")

    def call(self, tool: str, arguments: Any, door: Door) -> Result:
        """Take an answer and show the next stage."""
        self._replies[self._stage] = str(arguments["text"])
        following = next(self._texts, None)
        if following is None:
            return Result(("Thank you.",), charged=1, ended="done")
        self._stage, self._text = following
        return Result((f"{ARMS[self._stage.partition(' ')[0]]}\n\n{self._text}",), charged=1)

    def submission(self) -> Json:
        """The answers by arm and stage, as one text."""
        return json.dumps(self._replies) if self._replies else None

    def close(self) -> None:
        """Nothing to release."""


def read_and_answer(brief: Brief, call: Call) -> None:
    """Answer every stage from its text alone."""
    text = str(brief.parts[0])
    solver = Solver(text)
    for name in ORDER:
        text = str(call("answer", {"text": solver.reply(name.partition(" ")[2], text)}).parts[0])
