"""The world of an item of deep research: a library to search and read, an interpreter, one reply."""

from __future__ import annotations

from typing import Any, Protocol

from assay.protocol import Brief, Door, Json, Result, Tool
from assay.suites.sgi.interpreter import printed

SYSTEM = (
    "You are a careful scientist with access to a literature that you do not know yet. Find the documents "
    "that matter, read them, work the answer out, and give one answer in the form that is asked for. There "
    "is no second try."
)

LIMITS = {"calls": 400, "program": 20, "answer": 1}


def tool(name: str, properties: dict[str, Any], doc: str, **more: Any) -> Tool:
    """A tool of which every property has to be given."""
    schema = {
        "type": "object",
        "properties": properties,
        "required": sorted(properties),
        "additionalProperties": False,
    }
    return Tool(name, schema, doc, **more)


PYTHON = tool(
    "python",
    {"code": {"type": "string", "maxLength": 20_000}},
    "Run a program of Python in an interpreter of its own; gives what it printed. No files, no network.",
    counter="program",
    replay="given",
)


class Library(Protocol):
    """Documents with the tools by which they are searched and read."""

    tools: tuple[Tool, ...]

    def call(self, tool: str, arguments: Any) -> Result:
        """The result of one of `tools`."""


class ReadingRoom:
    """A literature, and the reply to the question about it.

    Args:
        question: all that is shown at the beginning.
        library: the documents.
        answer: the tool that ends the episode.
    """

    def __init__(self, question: str, library: Library, answer: Tool) -> None:
        self._question, self._library, self._answer = question, library, answer
        self._reply: str | None = None

    def brief(self) -> Brief:
        """The question alone."""
        tools = (*self._library.tools, PYTHON, self._answer)
        return Brief(SYSTEM, (self._question,), tools, LIMITS, reply="answer")

    def call(self, tool: str, arguments: Any, door: Door) -> Result:
        """Search, read, compute, or answer."""
        if tool == "answer":
            self._reply = str(arguments["text"])
            return Result(("Thank you.",), charged=1, ended="done" if self._reply.strip() else "invalid")
        if tool == "python":
            return Result((door.outside(lambda call: printed(arguments["code"])),), charged=1)
        return self._library.call(tool, arguments)

    def submission(self) -> Json:
        """The reply."""
        return self._reply

    def close(self) -> None:
        """Nothing to release."""
