"""The world of a deep-research item: its literature behind a search, an interpreter, one reply."""

from __future__ import annotations

from typing import Any

from assay.protocol import Brief, Door, Json, Result, Tool
from assay.suites.sgi.interpreter import printed
from assay.suites.sgi.research.library import Library

SYSTEM = (
    "You are a careful scientist with access to a literature that you do not know yet. Find the documents "
    "that matter, read them, work the answer out, and give one answer in the form that is asked for. There "
    "is no second try."
)

_DOC_ID = {"type": "string", "maxLength": 40, "description": "such as D0042"}


def _tool(name: str, properties: dict[str, Any], doc: str, **more: Any) -> Tool:
    schema = {
        "type": "object",
        "properties": properties,
        "required": sorted(properties),
        "additionalProperties": False,
    }
    return Tool(name, schema, doc, **more)


TOOLS = (
    _tool(
        "search",
        {
            "query": {"type": "string", "maxLength": 2000, "description": "words"},
            "k": {"type": "integer", "minimum": 1, "maximum": 50, "description": "how many documents"},
        },
        "The best documents for a query, by BM25 over titles, abstracts and captions of tables.",
    ),
    _tool("open", {"doc_id": _DOC_ID}, "A document: status, abstract, sections, captions, footnotes."),
    _tool(
        "table",
        {"doc_id": _DOC_ID, "number": {"type": "integer", "minimum": 1, "maximum": 99}},
        "The table of that number of a document, from 1.",
    ),
    _tool(
        "python",
        {"code": {"type": "string", "maxLength": 20_000}},
        "Run a program of Python in an interpreter of its own; gives what it printed. No files, no network.",
        counter="program",
        replay="given",
    ),
)


class ReadingRoom:
    """A literature, and the reply to the question about it."""

    def __init__(self, question: str, library: Library, answer: Tool) -> None:
        self._question, self._library, self._answer = question, library, answer
        self._reply: str | None = None

    def brief(self) -> Brief:
        """The question alone."""
        limits = {"calls": 400, "program": 20, "answer": 1}
        return Brief(SYSTEM, (self._question,), (*TOOLS, self._answer), limits, reply="answer")

    def call(self, tool: str, arguments: Any, door: Door) -> Result:
        """Search, read, compute, or answer."""
        if tool == "answer":
            self._reply = str(arguments["text"])
            ended = self._reply.strip()
            return Result(("Thank you.",), charged=1, ended="done" if ended else "invalid")
        if tool == "python":
            came = door.outside(lambda call: printed(arguments["code"]))
            return Result((came,), charged=1)
        return self._library.call(tool, arguments)

    def submission(self) -> Json:
        """The reply."""
        return self._reply

    def close(self) -> None:
        """Nothing to release."""
