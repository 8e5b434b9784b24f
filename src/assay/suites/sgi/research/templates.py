"""The questions: fourteen templates in four types, each a sentence, what to look up, and a formula.

A sentence is written and read by the same form, so a reader of the forms can set up the programme.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any, Literal

from assay.numbers import portable
from assay.suites.sgi.research.evidence import Cell, Evidence, Fault, Lookup, NotFound, Trail, decimal_text
from assay.suites.sgi.research.papers import Paper
from assay.suites.sgi.research.vocabulary import BY_NAME

GAS_CONSTANT = 8.314462618
"""In J/(mol K)."""

Fields = Mapping[str, str]
Cells = Mapping[str, Sequence[Cell]]
Computed = tuple[str, Fraction | str, str]
"""A quantity, its value (a name where it is none), its unit."""

Shape = Literal["single", "studies", "rows"]
"""Where the values come from: one document each, several studies of one entity, rows of several tables."""


@dataclass(frozen=True)
class Template:
    """A kind of question.

    `lookups(fields)` says what to find, `compute(cells, fields, faults)` the values on the way; the last
    `parts` of them are the answer. `unit` is that of the answer, `{unit}` where the quantity decides.
    """

    name: str
    type: str
    sentence: str
    unit: str
    shape: Shape
    lookups: Callable[[Fields], tuple[Lookup, ...]]
    compute: Callable[[Cells, Fields, Collection[Fault]], list[Computed]]
    parts: int = 1

    def ask(self, fields: Fields) -> str:
        """The question."""
        return self.sentence.format(**fields)

    def read(self, sentence: str) -> Fields | None:
        """The fields of a question of this kind; null for another."""
        pieces = re.split(r"\{(\w+)\}", self.sentence)
        pattern = "".join(re.escape(p) if at % 2 == 0 else f"(?P<{p}>.+?)" for at, p in enumerate(pieces))
        match = re.fullmatch(pattern, sentence)
        return match.groupdict() if match else None


@dataclass(frozen=True)
class Programme:
    """A template with its fields: what is to be done."""

    template: Template
    fields: Fields

    @property
    def lookups(self) -> tuple[Lookup, ...]:
        """What is to be found."""
        return self.template.lookups(self.fields)

    def run(self, papers: Sequence[Paper], faults: Collection[Fault] = ()) -> tuple[list[Computed], Trail]:
        """The parts of the answer, not rounded, and the steps; `NotFound` where documents do not suffice."""
        evidence, trail = Evidence(papers, faults), Trail()
        cells: dict[str, list[Cell]] = {}
        ends: list[int] = []
        for lookup in self.lookups:
            cells[lookup.slot], own = evidence.gather(lookup, trail)
            ends += own
        if "missing_hop" in faults and self.template.shape != "single":
            cells = _without_last(cells)
        computed = self.template.compute(cells, self.fields, faults)
        for quantity, value, unit in computed:
            text = value if isinstance(value, str) else decimal_text(value, 8)
            ends = [trail.add("compute", ends, quantity=quantity, value=text, unit=unit or None)]
        return computed[-self.template.parts :], trail


def _without_last(cells: dict[str, list[Cell]]) -> dict[str, list[Cell]]:
    """Without the last document that was read."""
    last = max(cell.doc_id for own in cells.values() for cell in own)
    kept = {slot: [cell for cell in own if cell.doc_id != last] for slot, own in cells.items()}
    if not any(kept.values()):
        raise NotFound("there is one document only")
    return kept


def parse_question(sentence: str) -> Programme | None:
    """The programme that a question asks for; null for a question of another kind."""
    for template in TEMPLATES:
        fields = template.read(sentence)
        if fields is not None:
            return Programme(template, fields)
    return None


def _log(value: Fraction) -> Fraction:
    if value <= 0:
        raise NotFound("a logarithm of no positive number")
    return Fraction(portable.log(float(value)))


def _one(cells: Cells, slot: str) -> Fraction:
    (cell,) = cells[slot]
    return cell.value


def _over(above: Fraction, below: Fraction) -> Fraction:
    if below == 0:
        raise NotFound("a division by zero")
    return above / below


def _number(condition: str) -> Fraction:
    """The number at the beginning of a condition such as `300 K`."""
    return Fraction(condition.split()[0])


def _operands(*names: str) -> Callable[[Fields], tuple[Lookup, ...]]:
    """Two quantities of one entity at one condition."""

    def lookups(f: Fields) -> tuple[Lookup, ...]:
        return tuple(Lookup(n, f["entity"], n, f["condition"], BY_NAME[n].unit) for n in names)

    return lookups


def _two_conditions(quantity: str | None) -> Callable[[Fields], tuple[Lookup, ...]]:
    """One quantity of an entity at two conditions; which one the fields say where it is null."""

    def lookups(f: Fields) -> tuple[Lookup, ...]:
        name = quantity or f["quantity"]
        unit = BY_NAME[name].unit
        return tuple(Lookup(slot, f["entity"], name, f[slot], unit) for slot in ("condition", "other"))

    return lookups


def _rows(f: Fields) -> tuple[Lookup, ...]:
    return (Lookup("rows", "", f["quantity"], f["condition"], BY_NAME[f["quantity"]].unit, many=True),)


def _studies(f: Fields) -> tuple[Lookup, ...]:
    unit = BY_NAME[f["quantity"]].unit
    return (Lookup("studies", f["entity"], f["quantity"], f["condition"], unit, many=True),)


def _surveys(f: Fields) -> tuple[Lookup, ...]:
    unit = BY_NAME[f["quantity"]].unit
    return tuple(Lookup(y, f["entity"], f["quantity"], y, unit) for y in f["years"].split(", "))


def _reaching(cells: Cells, f: Fields) -> list[Cell]:
    threshold = Fraction(f["threshold"].split()[0])
    return [cell for cell in cells["rows"] if cell.value >= threshold]


def _count(cells: Cells, f: Fields, faults: Collection[Fault]) -> list[Computed]:
    reached = _reaching(cells, f)
    if "aggregation" in faults:  # documents instead of values
        return [("count", Fraction(len({cell.doc_id for cell in reached})), "")]
    return [("count", Fraction(len(reached)), "")]


def _share(cells: Cells, f: Fields, faults: Collection[Fault]) -> list[Computed]:
    reached, rows = _reaching(cells, f), cells["rows"]
    count: Computed = ("count", Fraction(len(reached)), "")
    if "aggregation" in faults:  # the mean of the shares of each document
        documents = sorted({cell.doc_id for cell in rows})
        shares = [
            Fraction(sum(c.doc_id == d for c in reached), sum(c.doc_id == d for c in rows)) for d in documents
        ]
        return [count, ("share", 100 * sum(shares, Fraction(0)) / len(shares), "%")]
    return [count, ("share", Fraction(100 * len(reached), len(rows)), "%")]


def _largest(cells: Cells, f: Fields, faults: Collection[Fault]) -> list[Computed]:
    best = max(cells["rows"], key=lambda cell: (cell.value, cell.entity))
    return [("maximum", best.value, BY_NAME[f["quantity"]].unit), ("entity", best.entity, "")]


def _time_constant(cells: Cells, f: Fields, faults: Collection[Fault]) -> list[Computed]:
    resistance = _one(cells, "resistance")
    capacitance = Fraction(1) if "missing_hop" in faults else _one(cells, "capacitance")
    return [("time constant", resistance * capacitance, "us")]


def _density(cells: Cells, f: Fields, faults: Collection[Fault]) -> list[Computed]:
    units = Fraction(1) if "missing_hop" in faults else Fraction(f["z"])
    volume = _one(cells, "lattice constant") ** 3
    mass = units * _one(cells, "formula mass") / Fraction("602.214076")
    return [("cell volume", volume, "nm3"), ("density", mass / volume, "g/cm3")]


def _activation(cells: Cells, f: Fields, faults: Collection[Fault]) -> list[Computed]:
    ratio = _log(_over(_one(cells, "other"), _one(cells, "condition")))
    slope = ratio / (1 / _number(f["condition"]) - 1 / _number(f["other"]))
    if "missing_hop" not in faults:
        slope *= Fraction(GAS_CONSTANT)
    return [("log ratio", ratio, ""), ("activation energy", slope / 1000, "kJ/mol")]


def _dose(cells: Cells, f: Fields, faults: Collection[Fault]) -> list[Computed]:
    mass = Fraction(1) if "missing_hop" in faults else _one(cells, "body mass")
    return [("dose", _one(cells, "dose per body mass") * mass, "mg")]


def _half_life(cells: Cells, f: Fields, faults: Collection[Fault]) -> list[Computed]:
    ratio = _log(_over(_one(cells, "condition"), _one(cells, "other")))
    life = _over(_number(f["other"]) - _number(f["condition"]), ratio)
    mean: Computed = ("mean life", life, "h")
    return [mean, mean if "missing_hop" in faults else ("half-life", life * _log(Fraction(2)), "h")]


def _hill(cells: Cells, f: Fields, faults: Collection[Fault]) -> list[Computed]:
    exponent = 1 if "missing_hop" in faults else int(f["exponent"])
    at, half = Fraction(f["dose"]) ** exponent, _one(cells, "half-maximal concentration") ** exponent
    occupied = at / (at + half)
    response = occupied * _one(cells, "maximal response")
    return [("share occupied", occupied, ""), ("response", response, "mV")]


def _standard_addition(cells: Cells, f: Fields, faults: Collection[Fault]) -> list[Computed]:
    before, after = _one(cells, "condition"), _one(cells, "other")
    risen = after if "missing_hop" in faults else after - before
    return [("rise", risen, "mA"), ("concentration", _over(before * Fraction(f["added"]), risen), "uM")]


def _pooled(cells: Cells, f: Fields, faults: Collection[Fault]) -> list[Computed]:
    studies, unit = cells["studies"], BY_NAME[f["quantity"]].unit
    weights = [_over(Fraction(1), cell.error**2) for cell in studies]
    if "aggregation" in faults:  # every study counts alike
        weights = [Fraction(1)] * len(studies)
    total = sum(weights, Fraction(0))
    mean = sum((w * cell.value for w, cell in zip(weights, studies, strict=True)), Fraction(0)) / total
    spread = [w**2 * cell.error**2 for w, cell in zip(weights, studies, strict=True)]
    error = Fraction(sqrt(sum(spread, Fraction(0)) / total**2))
    return [("pooled mean", mean, unit), ("standard error", error, unit)]


def _change(cells: Cells, f: Fields, faults: Collection[Fault]) -> list[Computed]:
    first, second = _one(cells, "condition"), _one(cells, "other")
    difference: Computed = ("difference", second - first, BY_NAME[f["quantity"]].unit)
    if "missing_hop" in faults:
        return [difference]
    base = second if "aggregation" in faults else first
    return [difference, ("change", 100 * _over(second - first, base), "%")]


def _rate_ratio(cells: Cells, f: Fields, faults: Collection[Fault]) -> list[Computed]:
    (first,), (second,) = cells["condition"], cells["other"]
    if "missing_hop" in faults:  # cases without the person-years
        return [("ratio of cases", _over(first.value, second.value), "")]
    rates = [_over(cell.value, Fraction(cell.n)) for cell in (first, second)]
    return [("rate ratio", _over(rates[0], rates[1]), "")]


def _trend(cells: Cells, f: Fields, faults: Collection[Fault]) -> list[Computed]:
    points = [(Fraction(year), cell.value) for year, own in sorted(cells.items()) for cell in own]
    if "aggregation" in faults:  # the first and the last survey alone
        points = [points[0], points[-1]]
    x = sum((p[0] for p in points), Fraction(0)) / len(points)
    y = sum((p[1] for p in points), Fraction(0)) / len(points)
    slope = _over(
        sum(((a - x) * (b - y) for a, b in points), Fraction(0)),
        sum(((a - x) ** 2 for a, _ in points), Fraction(0)),
    )
    unit = BY_NAME[f["quantity"]].unit
    return [("slope per year", slope, unit), ("slope per decade", 10 * slope, unit)]


TEMPLATES: tuple[Template, ...] = (
    Template(
        "count",
        "Data",
        "Of all reported values of {quantity} at {condition}, how many are at least {threshold}?",
        "",
        "rows",
        _rows,
        _count,
    ),
    Template(
        "share",
        "Data",
        "What percentage of all reported values of {quantity} at {condition} is at least {threshold}?",
        "%",
        "rows",
        _rows,
        _share,
    ),
    Template(
        "largest",
        "Data",
        "Which {kind} has the largest of all reported values of {quantity} at {condition}?",
        "",
        "rows",
        _rows,
        _largest,
    ),
    Template(
        "time-constant",
        "Property",
        "What is the time constant of {entity} at {condition}, the product of its resistance and its "
        "capacitance?",
        "us",
        "single",
        _operands("resistance", "capacitance"),
        _time_constant,
    ),
    Template(
        "density",
        "Property",
        "What is the density of {entity} at {condition}, with a cubic cell of {z} formula units, from its "
        "lattice constant and its formula mass?",
        "g/cm3",
        "single",
        _operands("lattice constant", "formula mass"),
        _density,
    ),
    Template(
        "activation-energy",
        "Property",
        "What is the activation energy of {entity} after Arrhenius, from its rate constants at {condition} "
        "and at {other}?",
        "kJ/mol",
        "single",
        _two_conditions("rate constant"),
        _activation,
    ),
    Template(
        "dose",
        "Micro-experiment",
        "What dose does one body of {entity} get at {condition}, from its dose per body mass and its body "
        "mass?",
        "mg",
        "single",
        _operands("dose per body mass", "body mass"),
        _dose,
    ),
    Template(
        "half-life",
        "Micro-experiment",
        "What is the half-life of {entity}, decaying exponentially, from its plasma concentration at "
        "{condition} and at {other}?",
        "h",
        "single",
        _two_conditions("plasma concentration"),
        _half_life,
    ),
    Template(
        "hill",
        "Micro-experiment",
        "What response does {entity} give at {condition} and a concentration of {dose} uM, after Hill with "
        "the exponent {exponent}, from its maximal response and its half-maximal concentration?",
        "mV",
        "single",
        _operands("maximal response", "half-maximal concentration"),
        _hill,
    ),
    Template(
        "standard-addition",
        "Micro-experiment",
        "What concentration had {entity} at first, from its signal in {condition} and in {other}, between "
        "which {added} uM were added?",
        "uM",
        "single",
        _two_conditions("signal"),
        _standard_addition,
    ),
    Template(
        "pooled",
        "Macro-experiment",
        "What is the fixed-effect mean of {quantity} of {entity} at {condition} over all studies, weighted "
        "by inverse variance, and what is its standard error?",
        "{unit}",
        "studies",
        _studies,
        _pooled,
        2,
    ),
    Template(
        "change",
        "Macro-experiment",
        "By how many percent did the {quantity} of {entity} change from {condition} to {other}, relative to "
        "the former?",
        "%",
        "single",
        _two_conditions(None),
        _change,
    ),
    Template(
        "rate-ratio",
        "Macro-experiment",
        "What is the ratio of the rates of cases in {entity}, that of {condition} over that of {other}, with "
        "n as person-years?",
        "",
        "single",
        _two_conditions("cases"),
        _rate_ratio,
    ),
    Template(
        "trend",
        "Macro-experiment",
        "What is the trend per decade of {quantity} of {entity}, by least squares over the surveys of "
        "{years}?",
        "{unit}",
        "single",
        _surveys,
        _trend,
    ),
)


def of_type(kind: str) -> list[Template]:
    """The templates of a type."""
    return [template for template in TEMPLATES if template.type == kind]


def answer_unit(template: Template, fields: Fields) -> str:
    """The unit of the answer; empty where it has none."""
    return BY_NAME[fields["quantity"]].unit if template.unit == "{unit}" else template.unit


def response(template: Template, decimals: int, unit: str) -> list[dict[str, Any]]:
    """The machine form of what the answer looks like: one entry a part."""
    if template.name == "largest":
        return [{"kind": "string", "decimals": None, "unit": None, "aliases": []}]
    part = {"kind": "number", "decimals": decimals, "unit": unit or None, "aliases": []}
    return [dict(part) for _ in range(template.parts)]
