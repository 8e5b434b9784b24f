"""The documents of a synthesis behind a search."""

from __future__ import annotations

from typing import Any

from assay.protocol import Json, Result, Tool, refused
from assay.suites.sgi.frame.prompts import AT_ONCE
from assay.suites.sgi.literature.reader import documents_of
from assay.suites.sgi.literature.room import tool
from assay.suites.sgi.retrieval import Ranking

PAGE = 5
"""Documents of a page of results."""

TOOLS = (
    tool(
        "search",
        {
            "query": {"type": "string", "maxLength": 2000, "description": "words"},
            "page": {"type": "integer", "minimum": 1, "maximum": 60, "description": "from 1"},
        },
        f"Documents for a query, best first, {PAGE} a page, by BM25 over titles, authors and texts.",
    ),
    tool(
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
)


class Literature:
    """Documents by id.

    Args:
        lines: the documents, JSON, one a line.
    """

    tools: tuple[Tool, ...] = TOOLS

    def __init__(self, lines: bytes) -> None:
        self._documents: dict[str, dict[str, Json]] = {
            document["doc_id"]: document for document in documents_of(lines.decode())
        }
        self._ranking: Ranking | None = None

    def call(self, tool: str, arguments: Any) -> Result:
        """A page of results, or documents."""
        if tool == "open":
            return Result(
                ([self._documents[name] for name in arguments["doc_ids"] if name in self._documents],)
            )
        if tool == "search":
            return Result((self._search(arguments["query"], arguments["page"]),))
        return refused(f"{tool}: there is no such tool")

    def _search(self, query: str, page: int) -> list[Json]:
        if self._ranking is None:
            parts = ("title", "authors", "year", "text")
            texts = {
                name: " ".join(str(document.get(part, "")) for part in parts)
                for name, document in self._documents.items()
            }
            self._ranking = Ranking(texts)
        names = self._ranking.best(query, PAGE * page)[PAGE * (page - 1) :]
        shown = ("doc_id", "title", "authors", "year", "venue")
        return [
            {key: self._documents[name][key] for key in shown if key in self._documents[name]}
            for name in names
        ]
