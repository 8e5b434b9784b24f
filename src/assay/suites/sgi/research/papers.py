"""The papers of an invented literature: cells, and the texts and tables that show them.

A paper is kept as its cells; what an agent reads is rendered from them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["article", "preprint", "correction", "nomenclature", "provenance"]


@dataclass(frozen=True)
class Report:
    """One cell: a quantity of an entity (by the name that the paper uses) at a condition.

    `value` and `error` (standard error) are decimals as printed, in `unit`; `n` is the sample size. `text` is
    what the running text says instead of the table's value, empty where both agree.
    """

    entity: str
    quantity: str
    condition: str
    value: str
    unit: str
    error: str
    n: int
    text: str = ""


@dataclass(frozen=True)
class Paper:
    """A document with its cells.

    `about` is the doc_id of the paper that a correction corrects or of which this is the preprint. `names`
    is (former, current) of a note on nomenclature and (sample, entity) of one on provenance.
    """

    doc_id: str
    kind: Kind
    authors: str
    year: int
    venue: str
    status: Literal["ok", "corrected", "retracted"]
    reports: tuple[Report, ...] = ()
    about: str = ""
    names: tuple[str, str] = ("", "")
    cites: tuple[str, ...] = ()


def from_lines(data: bytes) -> list[Paper]:
    """The papers of lines of JSON, one each."""
    return [from_json(json.loads(line)) for line in data.decode().splitlines()]


def from_json(found: Mapping[str, Any]) -> Paper:
    """A paper from the object of its line."""
    reports = tuple(Report(**report) for report in found["reports"])
    names = (found["names"][0], found["names"][1])
    return Paper(**{**found, "reports": reports, "names": names, "cites": tuple(found["cites"])})


def _listed(words: Iterable[str]) -> str:
    found = list(dict.fromkeys(words))
    if len(found) > 4:
        return f"{', '.join(found[:3])} and {len(found) - 3} others"
    return " and ".join(filter(None, (", ".join(found[:-1]), found[-1])))


def title(paper: Paper, about: str = "") -> str:
    """The title; `about` is that of the paper that a correction corrects."""
    if paper.kind == "correction":
        return f"Correction to: {about}"
    if paper.kind == "nomenclature":
        return f"A revised name: {paper.names[0]} is {paper.names[1]}"
    if paper.kind == "provenance":
        return f"On the provenance of sample {paper.names[0]}"
    quantities = _listed(report.quantity for report in paper.reports)
    return f"{quantities[:1].upper()}{quantities[1:]} of {_listed(r.entity for r in paper.reports)}"


def abstract(paper: Paper) -> str:
    """The abstract, without any value."""
    if paper.kind == "correction":
        return f"This notice corrects a value in document {paper.about}."
    if paper.kind == "nomenclature":
        return f"We propose to retire the name {paper.names[0]}: {paper.names[1]} is the same."
    if paper.kind == "provenance":
        return f"Records show where sample {paper.names[0]} comes from and what it is."
    where = _listed(report.condition for report in paper.reports)
    entities = _listed(report.entity for report in paper.reports)
    preprint = f" A later version is document {paper.about}." if paper.kind == "preprint" else ""
    return f"We report {_listed(r.quantity for r in paper.reports)} of {entities} at {where}.{preprint}"


def sections(paper: Paper) -> list[dict[str, str]]:
    """Headings and texts."""
    if paper.kind == "correction":
        (report,) = paper.reports
        return [
            {
                "heading": "Notice",
                "text": f"In document {paper.about}, the {report.quantity} of {report.entity} at "
                f"{report.condition} is {report.value} {report.unit} (standard error {report.error}, "
                f"n = {report.n}). The value printed there is wrong.",
            }
        ]
    if paper.kind == "nomenclature":
        text = f"What older papers call {paper.names[0]} is {paper.names[1]}. Only the name changes."
        return [{"heading": "Note", "text": text}]
    if paper.kind == "provenance":
        text = f"Sample {paper.names[0]} is a specimen of {paper.names[1]}."
        return [{"heading": "Note", "text": text}]
    said = " ".join(
        f"The {r.quantity} of {r.entity} at {r.condition} came to {r.text or r.value} {r.unit}."
        for r in paper.reports
    )
    method = "Each value is the mean of independent runs on our own instrument; Table 1 has all of them."
    return [{"heading": "Methods", "text": method}, {"heading": "Results", "text": said}]


COLUMNS = ("entity", "quantity", "condition", "value", "unit", "standard error", "n")


def tables(paper: Paper) -> list[dict[str, Any]]:
    """Caption, columns and rows; notes and notices have none."""
    if paper.kind not in ("article", "preprint"):
        return []
    rows: list[list[Any]] = [
        [r.entity, r.quantity, r.condition, r.value, r.unit, r.error, r.n] for r in paper.reports
    ]
    caption = f"Table 1. {_listed(r.quantity for r in paper.reports)}."
    return [{"caption": caption, "columns": list(COLUMNS), "rows": rows}]


def footnotes(paper: Paper) -> list[str]:
    """What stands below."""
    if paper.status == "retracted":
        return ["RETRACTED: the authors withdraw this paper and its data."]
    if paper.kind == "preprint":
        return [f"Preprint, not reviewed; document {paper.about} is the version of record."]
    return []
