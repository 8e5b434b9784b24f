"""The world of an episode: one item, one reply."""

from __future__ import annotations

from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Door, Json, Materials, Result, Tool, Workspace, World
from assay.suites.sgi.families import INVESTIGATION, Family
from assay.suites.sgi.frame.tasks import is_v1
from assay.suites.sgi.investigation import players as inquiry
from assay.suites.sgi.items import SHOWN, item_of
from assay.suites.sgi.literature.library import Literature
from assay.suites.sgi.literature.room import Library, ReadingRoom
from assay.suites.sgi.reasoning import arms
from assay.suites.sgi.research import library
from assay.suites.sgi.research.papers import from_lines
from assay.suites.sgi.text.contracts import choice
from assay.suites.sgi.text.program import parse
from assay.task import Task

SYSTEM = (
    "You are a careful scientist. Read the task, work it out, and give one answer in the form that is asked "
    "for. There is no second try."
)

ANSWER = Tool(
    "answer",
    {
        "type": "object",
        "properties": {
            "text": {"type": "string", "maxLength": 400_000, "description": "the whole reply, with its tags"}
        },
        "required": ["text"],
        "additionalProperties": False,
    },
    "Give the answer. It ends the task.",
    counter="answer",
)


def readable(family: Family, text: str) -> bool:
    """Whether a reply holds anything that can be scored."""
    if family == "wet_experiment":
        return bool(parse(text).steps)
    if family == "experimental_reasoning":
        return choice(text).letter is not None
    return bool(text.strip())


class OneItem:
    """One item, and the reply to it."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._family: Family = task.public["family"]
        self._columns = task.public["columns"]
        self._documents: list[str] = task.public.get("documents", [])
        self._form: str | None = task.public.get("form")
        self._reply: str | None = None

    def brief(self) -> Brief:
        """The item's shown columns in order, and what its arm adds."""
        if self._family == "experimental_reasoning":
            parts = arms.parts(self._task)
        else:
            parts = (*(self._columns[name] for name in SHOWN[self._family]), *self._documents)
        if self._form is not None:
            parts = (*parts, self._form)
        return Brief(SYSTEM, parts, (ANSWER,), {"calls": 20, "answer": 1}, reply="answer")

    def call(self, tool: str, arguments: Any, door: Door) -> Result:
        """Take the reply; the episode is over."""
        text: str = arguments["text"]
        self._reply = text
        return Result(("Thank you.",), charged=1, ended="done" if readable(self._family, text) else "invalid")

    def submission(self) -> Json:
        """The reply."""
        return self._reply

    def close(self) -> None:
        """Nothing to release."""


def open(task: Task, materials: Materials, workspace: Workspace, stream: Stream) -> World:  # noqa: A001
    """The world of a task."""
    if task.public["family"] == INVESTIGATION:
        return inquiry.Room(item_of(task), ANSWER)
    v1 = is_v1(task.hidden) and task.public["family"] == "deep_research"
    if not v1 and task.public.get("arm") != "agent":
        return OneItem(task)
    (blob,) = task.blobs
    lines = materials.blobs.get(blob.sha256)
    documents: Library = Literature(lines) if v1 else library.Library(from_lines(lines))
    return ReadingRoom(task.public["columns"]["question"], documents, ANSWER)
