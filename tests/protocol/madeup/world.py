"""The urn as an agent meets it: balls to draw, a scale, code to run, an answer to write down."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Door, Json, Materials, Result, Tool, Workspace, World, refused
from assay.task import Task
from tests.protocol.madeup import answers, artefacts, picture

MANUAL = "\n".join(f"{n}. Balls are round, and red or black; drawn balls stay outside." for n in range(1, 99))


def _tool(name: str, doc: str, properties: dict[str, Any], **more: Any) -> Tool:
    required = [key for key, value in properties.items() if "default" not in value]
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return Tool(name, schema, doc, **more)


STEP = {
    "type": "object",
    "properties": {"tool": {"type": "string"}, "arguments": {"type": "object"}},
    "required": ["tool", "arguments"],
    "additionalProperties": False,
}
TOOLS = (
    _tool(
        "draw",
        "Draw balls; they stay outside. More than half of the urn's balls at once tip it over.",
        {"n": {"type": "integer", "minimum": 1, "maximum": 64, "description": "how many, 1 to 64"}},
        counter="draw",
    ),
    _tool("weigh", "Weigh the full urn, in grams; the scale is coarse.", {}, replay="artefact"),
    _tool("manual", "The picture of the urn and its manual.", {}),
    _tool("rest", "Sleep until tomorrow and forget today.", {}, counter="day"),
    _tool(
        "run_code",
        "Run a program: a list of calls of look, one after the other. Gives back what they print.",
        {
            "program": {"type": "array", "items": STEP, "maxItems": 64, "description": "up to 64 calls"},
            "clock": {"type": "boolean", "default": False, "description": "print the time, too"},
        },
        replay="given",
    ),
    _tool(
        "look",
        "The colour of one ball, drawn or not.",
        {"at": {"type": "integer", "minimum": 0, "description": "its place, from 0"}},
        audience="code",
        counter="look",
    ),
    _tool("shake", "Defective on purpose: the world crashes.", {}, audience="code"),
    _tool(
        "answer",
        "Write down how many balls are red; the last answer counts.",
        {"text": {"type": "string", "maxLength": 200, "description": "a number"}},
        counter="answer",
    ),
    _tool("finish", "End the episode with the answer that is written down.", {}),
)


@dataclass
class Urn:
    """One urn. `order` is the order in which its balls come out, `drawn` how many have."""

    task: Task
    materials: Materials
    workspace: Workspace
    order: list[int]
    drawn: int = 0
    day: int = 1

    def brief(self) -> Brief:
        balls = self.task.public["balls"]
        return Brief(
            system="You find out how many of an urn's balls are red.",
            parts=(f"The urn holds {balls} balls.", self.task.blobs[0], {"balls": balls}),
            tools=TOOLS,
            limits={"calls": 60, "draw": balls, "look": balls, "answer": 3, "day": 3},
            reply="answer",
        )

    def call(self, tool: str, arguments: Any, door: Door) -> Result:
        result: Result = getattr(self, f"_{tool}")(door, **arguments)
        return result

    def submission(self) -> Json:
        file = self.workspace.path / "answer.txt"
        return file.read_text(encoding="utf-8") if file.exists() else None

    def close(self) -> None:
        pass

    def _draw(self, door: Door, n: int) -> Result:
        balls = len(self.order)
        if n > balls - self.drawn:
            return refused(f"draw: n: {balls - self.drawn} balls are left in the urn")
        if n > balls // 2:
            return Result(("The urn tips over and its balls roll away.",), charged=n, ended="collapsed")
        came = [self.task.hidden["colours"][at] for at in self.order[self.drawn : self.drawn + n]]
        self.drawn += n
        return Result(({"red": came.count("r"), "black": came.count("b")},), charged=n)

    def _weigh(self, door: Door) -> Result:
        weights = artefacts.read(self.materials.artefacts.get(artefacts.scale(len(self.order))))
        return Result(({"grams": weights[self.task.hidden["colours"].count("r")]},))

    def _manual(self, door: Door) -> Result:
        shown = self.task.blobs[0]
        size = picture.width(self.materials.blobs.get(shown.sha256))
        return Result((shown, f"The picture shows {size} balls.", MANUAL))

    def _rest(self, door: Door) -> Result:
        self.day += 1
        left = len(self.order) - self.drawn
        return Result((f"Day {self.day}. {left} balls are in the urn.",), charged=1, fresh=True)

    def _run_code(self, door: Door, program: list[dict[str, Any]], clock: bool = False) -> Result:
        def run(call: Call) -> Json:
            printed = []
            for step in program:
                result = call(step["tool"], step["arguments"])
                printed.append(str(result.parts[0]) if result.ok else f"error: {result.error}")
            # Without the clock a program prints the same every time, so that solvers stay deterministic.
            return "\n".join([*printed, str(time.perf_counter_ns())] if clock else printed)

        return Result((door.outside(run),))

    def _look(self, door: Door, at: int) -> Result:
        if at >= len(self.order):
            return refused(f"look: at: the places are 0 to {len(self.order) - 1}")
        return Result(("red" if self.task.hidden["colours"][at] == "r" else "black",), charged=1)

    def _shake(self, door: Door) -> Result:
        raise RuntimeError(f"the urn breaks: {self.task.hidden['colours']}")

    def _answer(self, door: Door, text: str) -> Result:
        (self.workspace.path / "answer.txt").write_text(text, encoding="utf-8", newline="")
        return Result(("Written down.",), charged=1)

    def _finish(self, door: Door) -> Result:
        submission = self.submission()
        if submission is None:
            return refused("finish: no answer is written down; use the tool answer first")
        readable = answers.read(str(submission), len(self.order)) is not None
        return Result(("Thank you.",), ended="done" if readable else "invalid")


def open(task: Task, materials: Materials, workspace: Workspace, stream: Stream) -> World:  # noqa: A001
    """The world of a task; the stream decides in which order the balls come out."""
    order = list(range(task.public["balls"]))
    stream.shuffle(order)
    return Urn(task, materials, workspace, order)
