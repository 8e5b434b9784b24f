"""The room of an inquiry, and who plays in it: nine answers, each followed by the next stage's text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Door, Json, Result, Tool
from assay.suites.sgi.investigation import stages
from assay.suites.sgi.investigation.documents import pick, read
from assay.suites.sgi.investigation.inquiry import ORDER, planted, texts_of
from assay.suites.sgi.investigation.stages import HOUSE, Shown, act, everything, random_reply

SYSTEM = (
    "You carry out one inquiry in five stages: read, propose, compute, run the bench, interpret. First each "
    "stage is shown the results of your own earlier ones. Then stages 2 to 5 come once more, with the "
    "results of a reference. Each stage has one answer, nine in all."
)
FIRST = "Stage 1 of 5."
ARMS = {"chained": "Your own results.", "given": "The results of a reference."}


class Inquiry:
    """One inquiry: every answer is met by the next stage."""

    def __init__(self, row: Mapping[str, Any], answer: Tool) -> None:
        self._answer, self._replies = answer, dict[str, str]()
        self._texts = texts_of(dict(row), self._replies)
        self._stage, self._text = next(self._texts)

    def brief(self) -> Brief:
        """The first stage."""
        return Brief(
            SYSTEM, (self._text,), (self._answer,), {"calls": 20, "answer": len(ORDER)}, reply="answer"
        )

    def call(self, tool: str, arguments: Any, door: Door) -> Result:
        """Take an answer and show the next stage."""
        self._replies[self._stage] = str(arguments["text"])
        following = next(self._texts, None)
        if following is None:
            return Result(("Thank you.",), charged=1, ended="done")
        self._stage, self._text = following
        return Result((f"{ARMS[self._stage.partition(' ')[0]]}\n\n{self._text}",), charged=1)

    def submission(self) -> Json:
        """The answers by arm and stage."""
        return dict(self._replies) or None

    def close(self) -> None:
        """Nothing to release."""


def is_inquiry(brief: Brief) -> bool:
    """Whether a brief is that of an inquiry."""
    return bool(brief.parts) and str(brief.parts[0]).startswith(FIRST)


Reply = Callable[[str, str], str]
"""From a stage and its text to a reply."""


def play(brief: Brief, call: Call, reply: Reply) -> None:
    """Answer all stages, each from its text alone."""
    text = str(brief.parts[0])
    for name in ORDER:
        result = call("answer", {"text": reply(name.partition(" ")[2], text)})
        text = str(result.parts[0])


def oracle(brief: Brief, call: Call, hidden: Any, right: Callable[[str], bool] = everything) -> None:
    """Reply with the reference, as far as inferences are right."""
    replies = planted({**hidden, "question": brief.parts[0]}, right)
    for name in ORDER:
        call("answer", {"text": replies[name]})


def solver(first: Callable[[str], Mapping[str, Any]]) -> Callable[[Brief, Call], None]:
    """Somebody who reads the documents in one way, and then makes the most of what the texts show."""

    def act_on(brief: Brief, call: Call) -> None:
        estimates = {**first(str(brief.parts[0])), **sheet_in(str(brief.parts[0]))}
        play(brief, call, lambda stage, text: act(stage, facts_in(text), shown_in(text), estimates))

    return act_on


reader, picker, constants = solver(read), solver(pick), solver(lambda text: dict(HOUSE))


def by_chance(brief: Brief, call: Call, stream: Stream) -> None:
    """Sound replies with random values."""
    play(brief, call, lambda stage, text: random_reply(stage, facts_in(text), stream))


def empty_forms(brief: Brief, call: Call) -> None:
    """The form of every reply, with nothing in it."""
    forms = {
        "read": json.dumps({"K": 1, "Ki": 1, "k": 1, "tau": 1, "rivals": ["competitive", "cooperative"]}),
        "propose": '{"factors": {}, "layout": "listed", "runs": [{"substrate": 1, "inhibitor": 1}]}',
        "compute": "<answer>\ndef product(substrate, **others):\n    return substrate\n</answer>",
        "bench": stages.written({"dilution": 1, "enzyme": 1, "minutes": 60}),
        "interpret": '{"batches": ["A", "A", "A", "A", "A", "A"]}',
    }
    play(brief, call, lambda stage, text: forms[stage])


def copied(brief: Brief, call: Call) -> None:
    """The text of the stage as the reply."""
    play(brief, call, lambda stage, text: f"<answer>\n{text}\n</answer>")


NUMBER = r"([\d.]+(?:e[+-]?\d+)?)(?<!\.)"


def sheet_in(text: str) -> dict[str, float]:
    """The constants that a data sheet states."""
    line = next((one for one in text.splitlines() if one.startswith("A data sheet states")), "")
    return {name: float(value) for name, value in re.findall(rf"(\w+) = {NUMBER}", line)}


def facts_in(text: str) -> dict[str, Any]:
    """What the text of a stage says of sample, prices and solubility, in the form of an item."""

    def found(pattern: str) -> float:
        match = re.search(pattern, text)
        return float(match[1]) if match else 1.0

    return {
        "x_given": (),
        "x_world": {
            "sample": {
                "substrate": found(r"sample holds ([\d.e+-]+) mM\s+substrate"),
                "inhibitor": found(r"substrate and ([\d.e+-]+) mM inhibitor"),
            },
            "price": {
                "enzyme": found(r"less ([\d.e+-]+) for each U/mL"),
                "minute": found(r"and ([\d.e+-]+) for each minute"),
            },
            "soluble": found(r"only ([\d.e+-]+) mM dissolve"),
        },
    }


def shown_in(text: str) -> Shown:
    """What the text of a stage shows of earlier results."""
    shown = Shown()
    line = next((one for one in text.splitlines() if one.startswith("What is known of ")), "")
    if line:
        values = {name: float(value) for name, value in re.findall(rf"(\w+) = {NUMBER}", line)}
        rivals = line.partition("rivals: ")[2].rstrip(".").split(" and ")
        shown["estimates"] = {**values, "rivals": [one for one in rivals if one in stages.RATES]}
    for block in text.split("\n\n"):
        lines = block.strip().splitlines() or [""]
        rows = [[float(x) for x in one.split(" | ")] for one in lines if re.fullmatch(r"[-\d.e+ |]+", one)]
        if lines[0].startswith("substrate (mM) | inhibitor (mM)"):
            shown |= {"runs": [(row[0], row[1]) for row in rows], "readings": [row[2] for row in rows]}
        elif lines[0].startswith("Protocol: "):
            pairs = re.findall(rf"(dilution|enzyme|minutes) {NUMBER}", lines[0])
            shown["protocol"] = {name: float(value) for name, value in pairs}
        elif lines[0].startswith("Batch "):
            shown.setdefault("curves", []).append([[row[1] for row in rows], [row[2] for row in rows]])
    return shown
