"""A library over the papers: BM25 search, documents, tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.protocol import Result, Tool, refused
from assay.suites.sgi.literature.room import tool
from assay.suites.sgi.research.papers import Paper, abstract, footnotes, sections, tables, title
from assay.suites.sgi.retrieval import Ranking

_DOC_ID = {"type": "string", "maxLength": 40, "description": "such as D0042"}

TOOLS = (
    tool(
        "search",
        {
            "query": {"type": "string", "maxLength": 2000, "description": "words"},
            "k": {"type": "integer", "minimum": 1, "maximum": 50, "description": "how many documents"},
        },
        "The best documents for a query, by BM25 over titles, abstracts and captions of tables.",
    ),
    tool("open", {"doc_id": _DOC_ID}, "A document: status, abstract, sections, captions, footnotes."),
    tool(
        "table",
        {"doc_id": _DOC_ID, "number": {"type": "integer", "minimum": 1, "maximum": 99}},
        "The table of that number of a document, from 1.",
    ),
)


class Library:
    """Documents by id; the index is over titles, abstracts and captions."""

    tools: tuple[Tool, ...] = TOOLS

    def __init__(self, papers: Sequence[Paper]) -> None:
        self.papers = {paper.doc_id: paper for paper in papers}
        self._ranking: Ranking | None = None

    def title(self, doc_id: str) -> str:
        """The title of a document."""
        paper = self.papers[doc_id]
        about = self.title(paper.about) if paper.kind == "correction" and paper.about in self.papers else ""
        return title(paper, about)

    def search(self, query: str, k: int) -> list[dict[str, Any]]:
        """The `k` best documents by BM25; equals in the order of their ids; none that shares no word."""
        if self._ranking is None:
            self._ranking = Ranking({doc: self._indexed(doc) for doc in self.papers})
        return [self._entry(doc) for doc in self._ranking.best(query, k)]

    def _indexed(self, doc_id: str) -> str:
        paper = self.papers[doc_id]
        return " ".join([self.title(doc_id), abstract(paper), *(t["caption"] for t in tables(paper))])

    def _entry(self, doc_id: str) -> dict[str, Any]:
        paper = self.papers[doc_id]
        return {
            "doc_id": doc_id,
            "title": self.title(doc_id),
            "authors": paper.authors,
            "year": paper.year,
            "venue": paper.venue,
            "abstract": abstract(paper),
        }

    def document(self, doc_id: str) -> dict[str, Any]:
        """A document without its tables, of which it has the captions."""
        paper = self.papers[doc_id]
        return {
            **self._entry(doc_id),
            "status": paper.status,
            "sections": sections(paper),
            "tables": [table["caption"] for table in tables(paper)],
            "footnotes": footnotes(paper),
            "cites": list(paper.cites),
        }

    def table(self, doc_id: str, number: int) -> dict[str, Any] | None:
        """The table of that number, from 1; null where there is none."""
        found = tables(self.papers[doc_id])
        return found[number - 1] if 1 <= number <= len(found) else None

    def call(self, tool: str, arguments: Any) -> Result:
        """What the tools `search`, `open` and `table` give; refused for what is not there."""
        if tool == "search":
            return Result((list(self.search(arguments["query"], arguments["k"])),))
        doc_id = arguments["doc_id"]
        if doc_id not in self.papers:
            return refused(f"{tool}: doc_id: there is no such document; search lists them")
        if tool == "open":
            return Result((self.document(doc_id),))
        table = self.table(doc_id, arguments["number"])
        if table is None:
            return refused("table: number: the document has no table of that number; open shows the captions")
        return Result((table,))
