"""A reader who knows the forms: searches, opens, follows notices and names, sets up the programme.

It sees what any agent sees. With a care left out (a fault) it falls into that trap, through the same tools.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Any, cast

from assay.protocol import Call
from assay.suites.sgi.research import items
from assay.suites.sgi.research.evidence import Fault, NotFound
from assay.suites.sgi.research.papers import Kind, Paper, Report
from assay.suites.sgi.research.templates import Programme

MOST_HITS = 50

RENAMED = re.compile(r"A revised name: (.+) is (.+)")
PROVENANCE = re.compile(r"Sample (.+) is a specimen of (.+)\.")
NOTICE = re.compile(
    r"In document (\w+), the (.+) of (.+) at (.+) is (\S+) (.+) \(standard error (\S+), n = (\d+)\)\."
)
RESULT = re.compile(r"The (.+?) of (.+?) at (.+?) came to (\S+) ")
EARLY = re.compile(r"document (\w+) is the version of record")


def answer(prompt: str, call: Call, faults: Collection[Fault] = ()) -> str | None:
    """The reply to a prompt after reading; null where the question or the documents are beyond the reader."""
    programme = items.read_question(prompt)
    if programme is None:
        return None
    shelf = Shelf(call)
    try:
        papers = shelf.collect(programme)
        parts, trail = programme.run(papers, faults)
    except NotFound:
        return None
    decimals = items.read_decimals(prompt)
    return items.reply(trail.steps, items.rounded(parts, decimals, cut="rounding" in faults))


class Shelf:
    """The documents that a reader took out."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self.papers: dict[str, Paper] = {}

    def collect(self, programme: Programme) -> list[Paper]:
        """Every document that bears on what is to be found, with notices, preprints and notes on names."""
        sample = str(programme.fields.get("entity", ""))
        entity = sample
        if sample.startswith("sample "):
            for hit in self._search(f"provenance of {sample}", 5):
                if hit["title"].endswith(f"provenance of {sample}"):
                    entity = self._open(hit).names[1]
        names = [entity]
        if entity:
            for hit in self._search(f"revised name {entity}"):
                found = RENAMED.fullmatch(hit["title"])
                if found and found[2] == entity:
                    names.append(found[1])
                    self._open(hit)
        for quantity in sorted({lookup.quantity for lookup in programme.lookups}):
            for name in names:
                self._reports(quantity, name, {lookup.condition for lookup in programme.lookups})
        if not entity:
            self._all_names()
        return list(self.papers.values())

    def _search(self, query: str, k: int = MOST_HITS) -> list[dict[str, Any]]:
        result = self._call("search", {"query": query, "k": k})
        return cast("list[dict[str, Any]]", result.parts[0]) if result.ok and result.parts else []

    def _reports(self, quantity: str, name: str, conditions: set[str]) -> None:
        query = f"{quantity} {name} {' '.join(sorted(conditions))}"
        for hit in self._search(query):
            about = f"{hit['title']} {hit['abstract']}".casefold()
            if quantity not in about or name.casefold() not in about:
                continue
            if not any(condition.casefold() in about for condition in conditions):
                continue
            paper = self._open(hit)
            for other in self._search(paper.doc_id, 10):
                if re.search(rf"document {paper.doc_id}\b", other["abstract"]):
                    self._open(other)

    def _all_names(self) -> None:
        """Current names of whatever was found in tables."""
        seen = {report.entity for paper in self.papers.values() for report in paper.reports}
        for name in sorted(seen):
            for hit in self._search(f"revised name {name}", 10):
                found = RENAMED.fullmatch(hit["title"])
                if found and found[1] == name:
                    self._open(hit)

    def _open(self, hit: dict[str, Any]) -> Paper:
        doc_id = hit["doc_id"]
        if doc_id not in self.papers:
            document = cast("dict[str, Any]", self._call("open", {"doc_id": doc_id}).parts[0])
            table = self._call("table", {"doc_id": doc_id, "number": 1}) if document["tables"] else None
            rows = cast("dict[str, Any]", table.parts[0])["rows"] if table and table.ok else []
            self.papers[doc_id] = understood(document, rows)
        return self.papers[doc_id]


def understood(document: dict[str, Any], rows: list[list[Any]]) -> Paper:
    """A paper's cells, from its document and the rows of its table."""
    text = " ".join(section["text"] for section in document["sections"])
    notes = " ".join(document["footnotes"])
    kind: Kind = "article"
    about, names = "", ("", "")
    reports = tuple(Report(row[0], row[1], row[2], row[3], row[4], row[5], int(row[6])) for row in rows)
    said = {(q, e, c): value for q, e, c, value in RESULT.findall(text)}
    reports = tuple(_with_text(report, said) for report in reports)
    if found := NOTICE.search(text):
        kind, about = "correction", found[1]
        reports = (Report(found[3], found[2], found[4], found[5], found[6], found[7], int(found[8])),)
    elif renamed := RENAMED.fullmatch(document["title"]):
        kind, names = "nomenclature", (renamed[1], renamed[2])
    elif origin := PROVENANCE.search(text):
        kind, names = "provenance", (origin[1], origin[2])
    elif early := EARLY.search(notes):
        kind, about = "preprint", early[1]
    return Paper(
        document["doc_id"],
        kind,
        document["authors"],
        document["year"],
        document["venue"],
        document["status"],
        reports,
        about,
        names,
    )


def _with_text(report: Report, said: dict[tuple[str, str, str], str]) -> Report:
    value = said.get((report.quantity, report.entity, report.condition), report.value)
    return replace(report, text=value) if value != report.value else report
