"""Runs of a few events that no generator made, for tests of the provenance rules one by one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assay.suites.collider.formats.histogram import Binning, write
from assay.suites.collider.generators import registry as generators
from assay.suites.collider.generators.registry import Card, Generator
from assay.suites.collider.provenance import ledger
from assay.suites.collider.provenance.examination import Finding, Question, examine
from assay.suites.collider.provenance.runs import Run

FILE = "results/hist.yaml"
SAMPLE, SELECTED, COUNTERS, SCRIPT = "data/gen.csv", "data/sel.csv", "data/sel.json", "analysis/run.py"

QUESTION = Question(FILE, Binning("P", "PTmiss", "GeV", (100.0, 200.0, 300.0)), "P", 2.5)

RATE = {"n_generated": 4, "xsec_fb": 2.0, "lumi_fb": 2.5, "br": 1.0, "filter_eff": 1.0}
"""Five events are expected, so each of the four that are generated weighs 1.25."""

Row = Sequence[object]


def table(head: str, rows: Iterable[Row]) -> bytes:
    return "\n".join([head, *(",".join(map(str, row)) for row in rows)]).encode()


@dataclass(frozen=True)
class Work:
    """A run in which nothing is wrong; a test replaces a part of it.

    Four events, of which three are selected: two in the first bin, one in the second. The ledger has a
    look-up, the generation and the analysis; `generated` and `analysed` replace fields of their lines.
    """

    yields: Sequence[float | None] = (2.5, 1.25)
    sample: bytes = table("event_id,ptmiss", [(0, 150), (1, 160), (2, 250), (3, 90)])
    head: str = "event_id,weight,selected,ptmiss"
    rows: Sequence[Row] = ((0, 1.25, 1, 150), (1, 1.25, 1, 160), (2, 1.25, 1, 250))
    rate: Mapping[str, object] = field(default_factory=lambda: RATE)
    told: Sequence[object] = ({"xsec_fb": 2.0},)
    generated: Mapping[str, Any] = field(default_factory=dict)
    analysed: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, bytes | None] = field(default_factory=dict)
    before: Sequence[str] = ()
    after: Sequence[str] = ()
    question: Question = QUESTION
    recorded: bool = True

    def run(self) -> Run:
        counters = {"series": "P", "sample": SAMPLE, **RATE, **self.rate}
        made = {
            SELECTED: table(self.head, self.rows),
            COUNTERS: json.dumps(counters).encode(),
            FILE: write(self.question.binning, self.yields).encode(),
        }
        lines = b""
        for text in self.before:
            lines = ledger.append(lines, "r", "write_file", text)
        for result in self.told:
            lines = ledger.append(lines, "r", "cross_section", None, result=result)
        card = {"generator": "by hand", "point": "P"}
        generation: dict[str, Any] = {
            "outputs": records({SAMPLE: self.sample}),
            "card": card,
            "seed": 1,
            "n_generated": 4,
        }
        lines = ledger.append(lines, "r", "generate", None, **generation | dict(self.generated))
        for text in self.after:
            lines = ledger.append(lines, "r", "write_file", text)
        analysis: dict[str, Any] = {
            "tool": "run_analysis",
            "inputs": records({SAMPLE: self.sample}),
            "outputs": records(made),
        }
        lines = ledger.append(lines, "r", argv=None, **analysis | dict(self.analysed))
        # A test's own files are met first, and stand in the place of others.
        files = {**self.files, SAMPLE: self.sample, **made, **self.files}
        there = {path: data for path, data in files.items() if data is not None}
        return Run(there, lines if self.recorded else None, {})

    def finding(self) -> Finding:
        return examine(self.run(), self.question)

    def check(self, name: str) -> tuple[bool | None, str]:
        """How one check ended, and what it says."""
        verdict = self.finding().check(name)
        return verdict.passed, verdict.detail


def records(files: Mapping[str, bytes]) -> list[dict[str, Any]]:
    return [ledger.file_record(path, data) for path, data in files.items()]


def binned(*edges: float, **other: Any) -> Question:
    """The question with other edges."""
    return replace(QUESTION, binning=replace(QUESTION.binning, edges=edges), **other)


def at_values(*values: object, weight: float = 1.25) -> dict[str, Any]:
    """Selected events with these observables."""
    return {"rows": [(n, weight, 1, value) for n, value in enumerate(values)]}


def with_weights(*weights: object, n: int, expected: float = 10.0) -> dict[str, Any]:
    """Events with these weights in the first bin, of a sample of n for which `expected` are expected."""
    rate = {"n_generated": n, "xsec_fb": 1.0, "lumi_fb": expected}
    return {"rows": [(k, w, 1, 150) for k, w in enumerate(weights)], "rate": rate, "recorded": False}


@dataclass
class Counting:
    """A generator of shards of two events; notes which it was asked for."""

    made: list[int] = field(default_factory=list)

    def shard(self, card: Card, seed: int, number: int, count: int) -> str:
        self.made.append(number)
        return "".join(f"{2 * number + k},{100 + seed}\n" for k in range(count))

    def problem(self, card: Card) -> str | None:
        return None if card["point"] == "P" else "point is P"

    def generator(self) -> Generator:
        return Generator(("event_id", "ptmiss"), 2, self.problem, self.shard, "")


def generated(card: Card, seed: int = 50, n: int = 4) -> dict[str, Any]:
    """The parts of a run whose sample the counting generator made."""
    sample = generators.generate(card, seed, n)
    fields = {"card": card, "seed": seed, "n_generated": n, "shards": list(sample.shards)}
    rows = ((0, 1.25, 1, 150), (1, 1.25, 1, 150))
    outputs = records({SAMPLE: sample.data})
    return {"sample": sample.data, "generated": {**fields, "outputs": outputs}, "rows": rows}


CARD: Card = {"generator": "counting", "point": "P"}
