"""Finding what counts in a literature: valid papers, right names, right condition, corrected, converted.

The same code with one care left out (a fault) gives the answer of somebody who falls into that trap.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, get_args

from assay.suites.sgi.research.papers import Paper, Report
from assay.suites.sgi.text.quantities import UNITS

Fault = Literal[
    "unit",
    "retracted",
    "uncorrected",
    "wrong_condition",
    "alias",
    "missing_hop",
    "rounding",
    "aggregation",
    "text",
    "preprint",
]
FAULTS: tuple[Fault, ...] = get_args(Fault)
"""The traps, each by the care that it takes away."""


class NotFound(Exception):
    """The documents do not hold what a question needs, or not as often as it must be there."""


@dataclass(frozen=True)
class Lookup:
    """What has to be found: a quantity of an entity (empty: of any) at a condition, in a unit.

    `many`: all reports count; otherwise there must be exactly one.
    """

    slot: str
    entity: str
    quantity: str
    condition: str
    unit: str
    many: bool = False


@dataclass(frozen=True)
class Cell:
    """A value that was found, exact and in the unit of its lookup; `entity` is the current name."""

    entity: str
    value: Fraction
    error: Fraction
    n: int
    doc_id: str


@dataclass
class Trail:
    """The steps of a search, in the form of the column `x_steps`."""

    steps: list[dict[str, Any]] = field(default_factory=list)

    def add(self, kind: str, deps: Sequence[int] = (), **more: Any) -> int:
        """One step more; returns its id."""
        found = {"doc_id": None, "quantity": None, "value": None, "unit": None, **more}
        number = len(self.steps) + 1
        self.steps.append({"id": number, "kind": kind, "deps": list(deps), **found})
        return number


def factor(unit: str, wanted: str) -> Fraction:
    """What a number in one unit is multiplied with to be in another; `NotFound` for strangers."""
    if unit == wanted:
        return Fraction(1)
    if unit not in UNITS or wanted not in UNITS or UNITS[unit][0] != UNITS[wanted][0]:
        raise NotFound(f"{unit} is not to be converted into {wanted}")
    return UNITS[unit][1] / UNITS[wanted][1]


@lru_cache(maxsize=16_384)
def exact(printed: str) -> Fraction:
    """The number of a cell; a literature is read once for each of its traps and documents."""
    return Fraction(printed)


class Evidence:
    """A literature as a careful reader sees it, less the faults."""

    def __init__(self, papers: Iterable[Paper], faults: Collection[Fault] = ()) -> None:
        self.papers = sorted(papers, key=lambda paper: paper.doc_id)
        self.faults = faults
        self._notices = {
            (p.about, r.entity, r.quantity, r.condition): (p.doc_id, r)
            for p in self.papers
            if p.kind == "correction"
            for r in p.reports
        }
        self._former = {p.names[0]: p for p in self.papers if p.kind == "nomenclature"}
        self._preprints = {p.about: p for p in self.papers if p.kind == "preprint"}
        self._samples = {p.names[0]: p for p in self.papers if p.kind == "provenance"}

    def entity(self, asked: str, trail: Trail) -> str:
        """The name of what a question asks about; of a sample, by its provenance."""
        if not asked.startswith("sample "):
            return asked
        note = self._samples.get(asked.removeprefix("sample "))
        if note is None:
            raise NotFound(f"nothing says what {asked} is")
        trail.add("find", doc_id=note.doc_id, quantity="provenance")
        return note.names[1]

    def gather(self, lookup: Lookup, trail: Trail) -> tuple[list[Cell], list[int]]:
        """Every cell that counts, and the steps at which each was reached.

        `NotFound` where a lookup that must have one answer has none or several.
        """
        asked = self.entity(lookup.entity, trail)
        found: list[tuple[Paper, Report]] = []
        retracted: list[tuple[Paper, Report]] = []
        for paper in self.papers:
            if paper.kind != "article":
                continue
            matching = self._matching(paper, asked, lookup)
            (retracted if paper.status == "retracted" else found).extend((p, r) for p, r in matching)
        if "retracted" in self.faults and retracted:
            found = found + retracted if lookup.many else retracted
        if not found or (len(found) > 1 and not lookup.many):
            place = f"{lookup.quantity} of {asked or 'any'} at {lookup.condition}"
            raise NotFound(f"{len(found)} reports of {place}")
        cells, ends, opened = [], [], dict[str, int]()
        for paper, report in found:
            cell, end = self._read(paper, report, lookup, trail, opened)
            cells.append(cell)
            ends.append(end)
        return cells, ends

    def _matching(self, paper: Paper, asked: str, lookup: Lookup) -> Iterable[tuple[Paper, Report]]:
        """The cells of a paper that a lookup means; of its preprint, of a neighbour, where careless."""
        for report in paper.reports:
            if report.quantity != lookup.quantity or report.condition != lookup.condition:
                continue
            if asked and self._current(report.entity) != asked:
                continue
            yield self._mistaken(paper, report)

    def _mistaken(self, paper: Paper, report: Report) -> tuple[Paper, Report]:
        early = self._preprints.get(paper.doc_id)
        if "preprint" in self.faults and early is not None:
            for other in early.reports:
                if _place(other) == _place(report):
                    return early, other
        if "wrong_condition" in self.faults:
            for other in paper.reports:
                same = (other.entity, other.quantity) == (report.entity, report.quantity)
                if same and other.condition != report.condition:
                    return paper, other
        return paper, report

    def _current(self, name: str) -> str:
        note = self._former.get(name)
        return note.names[1] if note is not None and "alias" not in self.faults else name

    def _read(
        self, paper: Paper, report: Report, lookup: Lookup, trail: Trail, opened: dict[str, int]
    ) -> tuple[Cell, int]:
        def find(doc_id: str, quantity: str) -> int:
            if doc_id not in opened:
                opened[doc_id] = trail.add("find", doc_id=doc_id, quantity=quantity)
            return opened[doc_id]

        deps = []
        name = self._current(report.entity)
        if name != report.entity:
            deps.append(find(self._former[report.entity].doc_id, "name"))
        deps.append(find(paper.doc_id, lookup.quantity))
        source = paper.doc_id
        notice = self._notices.get((paper.doc_id, *_place(report)))
        if "text" in self.faults and report.text:
            printed, cell = report.text, report
        elif notice is not None and "uncorrected" not in self.faults:
            source, cell = notice
            printed = cell.value
            deps.append(find(source, lookup.quantity))
        else:
            printed, cell = report.value, report
        unit = cell.unit
        end = trail.add("read", deps, doc_id=source, quantity=lookup.quantity, value=printed, unit=unit)
        value, error = exact(printed), exact(cell.error)
        if unit != lookup.unit and "unit" not in self.faults:
            times = factor(unit, lookup.unit)
            value, error = value * times, error * times
            end = trail.add(
                "convert",
                [end],
                quantity=lookup.quantity,
                value=decimal_text(value, 12),
                unit=lookup.unit,
            )
        return Cell(name, value, error, cell.n, paper.doc_id), end


def _place(report: Report) -> tuple[str, str, str]:
    return report.entity, report.quantity, report.condition


def decimal_text(value: Fraction, digits: int) -> str:
    """A number with so many significant digits, rounded half-up, without zeros at the end."""
    if value == 0:
        return "0"
    place = digits - len(str(int(abs(value)))) if abs(value) >= 1 else digits
    text = half_up(value, max(place, 0))
    return text.rstrip("0").rstrip(".") if "." in text else text


def half_up(value: Fraction, decimals: int) -> str:
    """A number with so many decimals, halves away from zero."""
    return _fixed(int(abs(value) * 10**decimals + Fraction(1, 2)), value < 0, decimals)


def truncated(value: Fraction, decimals: int) -> str:
    """A number cut off behind so many decimals."""
    return _fixed(int(abs(value) * 10**decimals), value < 0, decimals)


def _fixed(scaled: int, negative: bool, decimals: int) -> str:
    digits = str(scaled).rjust(decimals + 1, "0")
    text = f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits
    return f"-{text}" if negative and scaled else text
