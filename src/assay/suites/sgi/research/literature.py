"""Planting: the papers that answer a question, the traps in them, and the literature around them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction

from assay.numbers.rng import Stream
from assay.suites.sgi.research import vocabulary
from assay.suites.sgi.research.evidence import Fault, Lookup, decimal_text, factor
from assay.suites.sgi.research.papers import Kind, Paper, Report
from assay.suites.sgi.research.templates import Programme
from assay.suites.sgi.research.vocabulary import BY_NAME, QUANTITIES, Quantity

DOCUMENTS = {1: 2, 2: 3, 3: 5, 4: 7}
"""Of each level: the documents that have to be read."""

SOURCES = {1: 2, 2: 2, 3: 3, 4: 4}
"""Those of them with values, where a question takes any number of studies, tables or surveys."""

TRAPS = {1: 2, 2: 2, 3: 3, 4: 4}
"""Of each level: traps that need no further document."""

PAPERS = {1: 60, 2: 120, 3: 180, 4: 240}

FREE: tuple[Fault, ...] = ("retracted", "wrong_condition", "text", "preprint", "unit")
"""Traps that need no further document."""


@dataclass
class Planted:
    """What was planted: papers with values, notes, and decoys (preprints, retracted twins)."""

    sources: list[Paper]
    notes: list[Paper] = field(default_factory=list)
    decoys: list[Paper] = field(default_factory=list)
    traps: list[Fault] = field(default_factory=list)
    asked: str = ""  # the entity as the question names it

    def papers(self) -> list[Paper]:
        """All of them."""
        return [*self.sources, *self.notes, *self.decoys]


class Planter:
    """Writes the papers of one item, with ids from a shuffled list."""

    def __init__(
        self, programme: Programme, discipline: str, level: int, entities: list[str], stream: Stream
    ) -> None:
        self.programme, self.discipline, self.level = programme, discipline, level
        self.template, self.stream = programme.template, stream
        self.target, *self.others = entities
        ids = [f"D{number:04d}" for number in range(1, PAPERS[level] + 1)]
        stream.shuffle(ids)
        self._ids = ids
        self._top = Fraction(0)  # the largest value planted

    # -------------------------------------------------------- the papers that count

    def plant(self, conditions: tuple[str, ...]) -> Planted:
        """Sources, notes and traps by level; `conditions` are those that are easily confused."""
        planted = Planted(self._sources(), asked=self.target)
        self._top = max(
            (Fraction(r.value) for source in planted.sources for r in source.reports), default=Fraction(0)
        )
        traps = [fault for fault in FREE if fault != "unit" or self._has_other_unit()]
        chosen = self.stream.sample(traps, TRAPS[self.level])
        planted.traps = list(chosen)
        notes = self._notes(len(planted.sources), DOCUMENTS[self.level] - len(planted.sources))
        for kind, at in notes:
            if kind == "alias":
                self._alias(planted, at)
        if "wrong_condition" in chosen:
            self._neighbour(planted, conditions)
        if "unit" in chosen:
            self._other_unit(planted)
        if "preprint" in chosen:
            self._preprint(planted)
        if "retracted" in chosen:
            self._retracted(planted)
        if "text" in chosen:
            self._text(planted)
        for kind, at in notes:
            if kind == "correction":
                self._correction(planted, at)
            elif kind == "provenance":
                self._provenance(planted)
        return planted

    def _notes(self, sources: int, count: int) -> list[tuple[str, int]]:
        """Which further documents are needed, and for which source."""
        shape = self.template.shape
        if shape == "rows":
            kinds = [("correction", at) for at in range(sources)]
            if self.template.name == "largest":
                kinds[0] = ("alias", 0)
        elif shape == "single" and sources == 2:
            kinds = [("correction", 0), ("alias", 1), ("provenance", 0), ("correction", 1), ("alias", 0)]
        else:
            kinds = [("correction", 0), ("alias", sources - 1), ("provenance", 0)]
        return self.stream.sample(kinds, count)

    def _sources(self) -> list[Paper]:
        shape, lookups = self.template.shape, self.programme.lookups
        if shape == "single":
            return [self._article((self._report(lookup, self.target),)) for lookup in lookups]
        if shape == "studies":
            (lookup,) = lookups
            truth = self._value(BY_NAME[lookup.quantity])
            return [
                self._article((self._report(lookup, self.target, truth * self._between(0.88, 1.12)),))
                for _ in range(SOURCES[self.level])
            ]
        (lookup,) = lookups
        every = [self.target, *self.others]
        return [
            self._article(
                tuple(self._report(lookup, entity) for entity in self.stream.sample(every, 4 + self.level))
            )
            for _ in range(SOURCES[self.level])
        ]

    def _report(self, lookup: Lookup, entity: str, value: float | None = None) -> Report:
        quantity = BY_NAME[lookup.quantity]
        value = self._value(quantity) if value is None else value
        return self._cell(entity, quantity, lookup.condition, value)

    def _cell(self, entity: str, quantity: Quantity, condition: str, value: float) -> Report:
        whole = quantity.name == "cases"
        printed = str(round(value)) if whole else significant(value)
        n = 400 + self.stream.below(3600) if whole else 8 + self.stream.below(60)
        error = significant(value * self._between(0.02, 0.09))
        return Report(entity, quantity.name, condition, printed, quantity.unit, error, n)

    def _article(self, reports: tuple[Report, ...], kind: Kind = "article", about: str = "") -> Paper:
        stream = self.stream
        venue = {"preprint": "preprint server"}.get(kind) or (
            f"{stream.choice(vocabulary.VENUES)} of {self.discipline.capitalize()}"
        )
        return Paper(
            self._ids.pop(),
            kind,
            vocabulary.author(stream),
            1990 + stream.below(30),
            venue,
            "ok",
            reports,
            about,
            cites=(about,) if about else (),
        )

    def _value(self, quantity: Quantity) -> float:
        return quantity.low + self.stream.uniform() * (quantity.high - quantity.low)

    def _between(self, low: float, high: float) -> float:
        return low + self.stream.uniform() * (high - low)

    # -------------------------------------------------------- traps

    def _wrong(self, report: Report) -> str:
        """Another value for a cell, in its unit, such that it can change the answer."""
        unit = BY_NAME[report.quantity].unit
        times = factor(report.unit, unit)
        value = float(Fraction(report.value) * times)
        if self.template.name == "largest":
            other = float(self._top) * self._between(1.05, 1.6)
        elif self.template.shape == "rows":
            threshold = float(self.programme.fields["threshold"].split()[0])
            low, high = (1.1, 1.4) if value < threshold else (0.6, 0.9)
            other = threshold * self._between(low, high)
        else:
            other = value * self.stream.choice((self._between(0.68, 0.88), self._between(1.15, 1.45)))
        whole = report.quantity == "cases"
        printed = Fraction(str(round(other)) if whole else significant(other))
        return decimal_text(printed / times, 12)

    def _some(self, reports: tuple[Report, ...]) -> set[int]:
        """Which cells of a table are changed: one at least, of a question for the largest just one."""
        if self.template.name == "largest" or len(reports) == 1:
            return {self.stream.below(len(reports))}
        return set(self.stream.sample(range(len(reports)), 1 + self.stream.below(len(reports) - 1)))

    def _altered(self, reports: tuple[Report, ...]) -> tuple[Report, ...]:
        chosen = self._some(reports)
        return tuple(
            replace(r, value=self._wrong(r), text="") if at in chosen else replace(r, text="")
            for at, r in enumerate(reports)
        )

    def _any(self, planted: Planted) -> int:
        return self.stream.below(len(planted.sources))

    def _asked_cells(self, paper: Paper) -> tuple[Report, ...]:
        wanted = {(lookup.quantity, lookup.condition) for lookup in self.programme.lookups}
        return tuple(r for r in paper.reports if (r.quantity, r.condition) in wanted)

    def _has_other_unit(self) -> bool:
        return any(BY_NAME[lookup.quantity].other for lookup in self.programme.lookups)

    def _neighbour(self, planted: Planted, conditions: tuple[str, ...]) -> None:
        taken = {lookup.condition for lookup in self.programme.lookups}
        at = self._any(planted)
        source = planted.sources[at]
        condition = self.stream.choice([c for c in conditions if c not in taken])
        other = tuple(replace(r, condition=condition) for r in self._altered(source.reports))
        planted.sources[at] = replace(source, reports=source.reports + other)

    def _other_unit(self, planted: Planted) -> None:
        with_other = [
            at for at, source in enumerate(planted.sources) if BY_NAME[source.reports[0].quantity].other
        ]
        at = self.stream.choice(with_other)
        source = planted.sources[at]
        planted.sources[at] = replace(source, reports=tuple(map(_in_other_unit, source.reports)))

    def _preprint(self, planted: Planted) -> None:
        source = planted.sources[self._any(planted)]
        early = self._article(self._altered(self._asked_cells(source)), "preprint", source.doc_id)
        planted.decoys.append(replace(early, authors=source.authors, year=source.year))

    def _retracted(self, planted: Planted) -> None:
        source = planted.sources[self._any(planted)]
        twin = self._article(self._altered(self._asked_cells(source)))
        planted.decoys.append(replace(twin, status="retracted"))

    def _text(self, planted: Planted) -> None:
        at = self._any(planted)
        source = planted.sources[at]
        cells = self._asked_cells(source)
        chosen = {cells[place] for place in self._some(cells)}
        reports = tuple(replace(r, text=self._wrong(r)) if r in chosen else r for r in source.reports)
        planted.sources[at] = replace(source, reports=reports)

    # -------------------------------------------------------- further documents

    def _alias(self, planted: Planted, at: int) -> None:
        source = planted.sources[at]
        current = self.target
        if self.template.shape == "rows":  # the winner's name
            at, best = max(
                ((k, r) for k, s in enumerate(planted.sources) for r in s.reports),
                key=lambda found: (Fraction(found[1].value), found[1].entity),
            )
            source, current = planted.sources[at], best.entity
        former = vocabulary.names(self.discipline, 1, self.stream)[0]
        reports = tuple(replace(r, entity=former) if r.entity == current else r for r in source.reports)
        planted.sources[at] = replace(source, reports=reports)
        note = self._article((), "nomenclature")
        planted.notes.append(replace(note, names=(former, current)))
        planted.traps.append("alias")

    def _correction(self, planted: Planted, at: int) -> None:
        source = planted.sources[at]
        cells = self._asked_cells(source)
        losers = [r for r in cells if self.template.name != "largest" or not self._best(r)]
        cell = self.stream.choice(losers or list(cells))
        printed = replace(cell, value=self._wrong(cell))
        reports = tuple(printed if r == cell else r for r in source.reports)
        planted.sources[at] = replace(source, reports=reports, status="corrected")
        notice = self._article((replace(cell, text=""),), "correction", source.doc_id)
        planted.notes.append(replace(notice, authors=source.authors))
        planted.traps.append("uncorrected")

    def _best(self, report: Report) -> bool:
        times = factor(report.unit, BY_NAME[report.quantity].unit)
        return Fraction(report.value) * times == self._top

    def _provenance(self, planted: Planted) -> None:
        planted.asked = f"sample {vocabulary.sample_code(self.stream)}"
        note = self._article((), "provenance")
        names = (planted.asked.removeprefix("sample "), self.target)
        planted.notes.append(replace(note, names=names))

    # -------------------------------------------------------- the literature around

    def surroundings(self, conditions: tuple[str, ...]) -> list[Paper]:
        """Papers up to the number of the level that report neighbours of what is asked, never that itself."""
        stream = self.stream
        asked = [BY_NAME[lookup.quantity] for lookup in self.programme.lookups]
        quantities = list(dict.fromkeys([*asked, *QUANTITIES[self.discipline]]))
        every = [self.target, *self.others]
        found: list[Paper] = []
        while self._ids:
            kind = stream.below(20)
            if kind == 0 and found:
                found.append(self._other_notice(stream.choice(found)))
            elif kind == 1:
                note = self._article((), "nomenclature")
                former = vocabulary.names(self.discipline, 1, stream)[0]
                found.append(replace(note, names=(former, stream.choice(self.others))))
            elif kind == 2:
                note = self._article((), "provenance")
                names = (vocabulary.sample_code(stream), stream.choice(self.others))
                found.append(replace(note, names=names))
            else:
                paper = self._article(self._reports(every, quantities, conditions))
                found.append(replace(paper, status="retracted") if kind == 3 else paper)
        return found

    def _other_notice(self, paper: Paper) -> Paper:
        """A correction of a paper, or of one without values a note on some sample."""
        if paper.kind == "article":
            return self._article(paper.reports[:1], "correction", paper.doc_id)
        names = (vocabulary.sample_code(self.stream), self.stream.choice(self.others))
        return replace(self._article((), "provenance"), names=names)

    def _reports(
        self, every: list[str], quantities: list[Quantity], conditions: tuple[str, ...]
    ) -> tuple[Report, ...]:
        stream, found = self.stream, []
        chosen = stream.sample(quantities, 1 + stream.below(2))
        for entity in stream.sample(every, 1 + stream.below(3)):
            for quantity in chosen:
                for condition in stream.sample(conditions, 1 + stream.below(2)):
                    if not self._is_asked(entity, quantity.name, condition):
                        found.append(self._cell(entity, quantity, condition, self._value(quantity)))
        if found:
            return tuple(found)
        quantity = next(q for q in quantities if q.name not in {x.quantity for x in self.programme.lookups})
        return (self._cell(self.others[0], quantity, conditions[0], self._value(quantity)),)

    def _is_asked(self, entity: str, quantity: str, condition: str) -> bool:
        return any(
            (lookup.quantity, lookup.condition) == (quantity, condition) and lookup.entity in ("", entity)
            for lookup in self.programme.lookups
        )


def significant(value: float) -> str:
    """A positive number with three digits that count."""
    decimals = 4 if value < 0.1 else 3 if value < 1 else 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:.{decimals}f}"


def _in_other_unit(report: Report) -> Report:
    quantity = BY_NAME[report.quantity]
    times = factor(quantity.unit, quantity.other)
    return replace(
        report,
        value=decimal_text(Fraction(report.value) * times, 12),
        error=decimal_text(Fraction(report.error) * times, 12),
        unit=quantity.other,
    )


def by_id(papers: Iterable[Paper]) -> list[Paper]:
    """In the order of their ids."""
    return sorted(papers, key=lambda paper: paper.doc_id)
