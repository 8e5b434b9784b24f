"""The world of a synthesis: a literature behind a search, an interpreter, one reply."""

from __future__ import annotations

from typing import Any

from assay.protocol import Brief, Door, Json, Result, Tool, refused
from assay.suites.sgi.frame.prompts import AT_ONCE
from assay.suites.sgi.interpreter import printed
from assay.suites.sgi.literature.reader import documents_of
from assay.suites.sgi.retrieval import Ranking

SYSTEM = (
    "You are a careful scientist with access to a literature that you do not know yet. Find the documents "
    "that matter, read them, work the answer out, and give one answer in the form that is asked for. There "
    "is no second try."
)

PAGE = 5
"""Documents of a page of results."""


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
            "page": {"type": "integer", "minimum": 1, "maximum": 60, "description": "from 1"},
        },
        f"Documents for a query, best first, {PAGE} a page, by BM25 over titles, authors and texts.",
    ),
    _tool(
        "open",
        {
            "doc_ids": {
                "type": "array",
                "items": {"type": "string", "maxLength": 40},
                "maxItems": AT_ONCE,
                "description": "such as D0042",
            }
        },
        f"Up to {AT_ONCE} documents by their ids, whole; ids that do not exist are left out.",
    ),
    _tool(
        "python",
        {"code": {"type": "string", "maxLength": 20_000}},
        "Run a program of Python in an interpreter of its own; gives what it printed. No files, no network.",
        counter="program",
        replay="given",
    ),
)

LIMITS = {"calls": 400, "program": 20, "answer": 1}


class Room:
    """A literature, and the reply to the question about it.

    Args:
        question: all that is shown at the beginning.
        lines: the documents, JSON, one a line.
        answer: the tool that ends the episode.
    """

    def __init__(self, question: str, lines: bytes, answer: Tool) -> None:
        self._question, self._answer = question, answer
        self._documents: dict[str, dict[str, Json]] = {
            one["doc_id"]: one for one in documents_of(lines.decode())
        }
        self._ranking: Ranking | None = None
        self._reply: str | None = None

    def brief(self) -> Brief:
        """The question alone."""
        return Brief(SYSTEM, (self._question,), (*TOOLS, self._answer), LIMITS, reply="answer")

    def call(self, tool: str, arguments: Any, door: Door) -> Result:
        """Search, read, compute, or answer."""
        if tool == "answer":
            self._reply = str(arguments["text"])
            return Result(("Thank you.",), charged=1, ended="done" if self._reply.strip() else "invalid")
        if tool == "python":
            return Result((door.outside(lambda call: printed(arguments["code"])),), charged=1)
        if tool == "open":
            return Result(
                ([self._documents[name] for name in arguments["doc_ids"] if name in self._documents],)
            )
        if tool == "search":
            return Result((self._search(arguments["query"], arguments["page"]),))
        return refused(f"{tool}: there is no such tool")

    def _search(self, query: str, page: int) -> list[Json]:
        if self._ranking is None:
            texts = {
                name: f"{one['title']} {one.get('authors', '')} {one['year']} {one['text']}"
                for name, one in self._documents.items()
            }
            self._ranking = Ranking(texts)
        found = self._ranking.best(query, PAGE * page)[PAGE * (page - 1) :]
        shown = ("doc_id", "title", "authors", "year", "venue")
        return [
            {key: self._documents[name][key] for key in shown if key in self._documents[name]}
            for name in found
        ]

    def submission(self) -> Json:
        """The reply."""
        return self._reply

    def close(self) -> None:
        """Nothing to release."""
