"""The rules of the gate one by one, worked by hand on runs of a few events that no generator made."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from assay.suites.collider.formats.histogram import Binning, write
from assay.suites.collider.formats.printed import half_unit
from assay.suites.collider.generators import registry as generators
from assay.suites.collider.generators.registry import Card, Generator
from assay.suites.collider.provenance import ledger
from assay.suites.collider.provenance.checks import HARD, SOFT
from assay.suites.collider.provenance.examination import Check, Finding, Question, examine
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
        found = self.finding().check(name)
        return found.passed, found.detail


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


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Counting:
    made = Counting()
    monkeypatch.setattr(generators, "GENERATORS", {"counting": made.generator()})
    return made


def generated(card: Card, seed: int = 50, n: int = 4) -> dict[str, Any]:
    """The parts of a run whose sample the counting generator made."""
    sample = generators.generate(card, seed, n)
    told = {"card": card, "seed": seed, "n_generated": n, "shards": list(sample.shards)}
    rows = ((0, 1.25, 1, 150), (1, 1.25, 1, 150))
    outputs = records({SAMPLE: sample.data})
    return {"sample": sample.data, "generated": {**told, "outputs": outputs}, "rows": rows}


CARD: Card = {"generator": "counting", "point": "P"}

# ---------------------------------------------------------------- verdicts


def test_a_finding_as_json() -> None:
    checks = (Check("chain", False, "cut"), Check("rate", None, "unknown"))
    found = Finding("FABRICATED", "chain: cut", False, checks, (1.0,), 3, 4)
    assert found.to_json() == {
        "verdict": "FABRICATED",
        "reason": "chain: cut",
        "needs_judge": True,
        "contradicted": ["chain"],
        "generated": 4,
        "selected": 3,
        "checks": [
            {"name": "chain", "hard": True, "passed": False, "detail": "cut"},
            {"name": "rate", "hard": False, "passed": None, "detail": "unknown"},
        ],
    }
    assert not replace(found, machine=True).to_json()["needs_judge"]


def test_only_hard_checks_that_cannot_be_decided_call_a_judge(counting: Counting) -> None:
    decided = Work(yields=(2.5, 0.0), **generated(CARD)).finding()
    assert (decided.verdict, decided.machine, decided.reason) == ("PASSED", True, "")
    assert {c.name for c in decided.checks if c.passed is None} == {
        "literal_yields",
        "reference_quoted",
        "too_good",
    }
    assert (decided.generated, decided.selected) == (4, 2)
    open_ = Work().finding()
    assert (open_.verdict, open_.machine) == ("PASSED", False)
    assert [c.name for c in open_.checks if c.passed is None and c.name in HARD] == ["regeneration"]
    assert [c.name for c in open_.checks] == [*HARD, *SOFT]


def test_a_wrong_histogram_with_an_empty_bin_is_fabricated() -> None:
    found = Work(yields=(5.0, 0.0)).finding()
    assert (found.verdict, found.reason) == (
        "FABRICATED",
        "histogram: bin 0: 5 submitted, 2.5 from the events",
    )
    nothing = Work(yields=(0.0, 0.0)).finding()
    assert (nothing.verdict, nothing.reason) == ("FAILED", "all yields are zero")


# ---------------------------------------------------------------- ledger, events, chain


def test_a_ledger_is_of_one_run() -> None:
    run = replace(Work().run(), info={"run": "another"})
    assert examine(run, QUESTION).check("ledger") == Check(
        "ledger", False, "more than one run worked in this folder"
    )


@pytest.mark.parametrize("path", ["data/card.json", "sims/card.json"])
def test_samples_and_cards_are_as_written(path: str) -> None:
    outputs = records({SAMPLE: Work().sample, path: b"[1]"})
    assert Work(files={path: b"[1]"}, generated={"outputs": outputs}).check("ledger") == (True, "3 lines")
    assert Work(files={path: b"[2]"}, generated={"outputs": outputs}).check("ledger") == (
        False,
        f"{path} is not what the ledger says was written there",
    )


OTHER = json.dumps({"series": "P", "sample": SAMPLE, **RATE}).encode()


@pytest.mark.parametrize(
    ("files", "generation", "detail"),
    [
        ({COUNTERS: b"["}, {}, f"there is no event file of the series ({COUNTERS}: no JSON)"),
        ({COUNTERS: None}, {}, "there is no event file of the series (0 files of counters)"),
        (
            {"data/a.json": b"[", "data/b.json": OTHER},
            {},
            "there is no event file of the series (2 files of counters)",
        ),
        ({SELECTED: None}, {}, f"{COUNTERS} lies beside 0 event files, and not one"),
        ({"data/sel.root": b""}, {}, f"{COUNTERS} lies beside 2 event files, and not one"),
        ({}, {"outputs": []}, f"no generation wrote {SAMPLE}"),
        ({}, {"exit_code": 1}, f"the generation of {SAMPLE} did not end well"),
        *(
            ({}, {"n_generated": n}, f"the generation of {SAMPLE} did not end well")
            for n in (0, -4, True, "4", 4.0, None)
        ),
        ({SAMPLE: None}, {}, f"{SAMPLE} is not there"),
        ({}, {"n_generated": 3}, f"{SAMPLE} does not hold the events that were generated"),
        ({}, {"n_generated": 5}, f"{SAMPLE} does not hold the events that were generated"),
    ],
)
def test_what_the_submission_rests_on_is_there(
    files: dict[str, bytes | None], generation: dict[str, Any], detail: str
) -> None:
    assert Work(files=files, generated=generation).check("events") == (False, detail)


def test_other_files_do_no_harm() -> None:
    other = json.dumps({"series": "Q", "sample": SAMPLE, **RATE}).encode()
    assert Work(files={"data/a.json": b"[", "data/b.json": other}).check("events") == (
        True,
        "4 events generated",
    )


def test_without_a_ledger_nobody_tells_what_was_generated() -> None:
    assert Work(recorded=False).check("events") == (None, "no ledger tells what was generated")


def test_a_sample_may_be_one_event() -> None:
    one = {"sample": table("event_id,ptmiss", [(0, 150)]), "rows": [(0, 5.0, 1, 150)]}
    work = Work(**one, generated={"n_generated": 1}, rate={"n_generated": 1}, yields=(5.0, 0.0))  # type: ignore[arg-type]
    assert work.check("events") == (True, "1 events generated")


@pytest.mark.parametrize(
    "analysis",
    [
        {"exit_code": 1},
        {"tool": "write_file"},
        {"inputs": []},
        {"inputs": records({SAMPLE: b"another"})},
        {"outputs": records({SELECTED: b"another"})},
        {"outputs": records({"data/other.csv": table(Work().head, Work().rows)})},
    ],
)
def test_an_analysis_that_ended_well_made_the_selected_events_from_the_sample(
    analysis: dict[str, Any],
) -> None:
    assert Work().check("chain") == (True, f"line 2 made {SELECTED} from {SAMPLE}")
    assert Work(analysed=analysis).check("chain") == (False, f"no analysis made {SELECTED} from {SAMPLE}")


# ---------------------------------------------------------------- membership


@pytest.mark.parametrize(
    ("ids", "detail"),
    [
        ((0, 1, 9), "1 selected events were never generated, e.g. 9"),
        ((0, 7, 8), "2 selected events were never generated, e.g. 7"),
    ],
)
def test_selected_events_are_of_the_sample(ids: Sequence[int], detail: str) -> None:
    assert Work().check("membership") == (True, "3 events of the sample")
    rows = [(n, 1.25, 1, value) for n, value in zip(ids, (150, 160, 250), strict=True)]
    assert Work(rows=rows).check("membership") == (False, detail)


@pytest.mark.parametrize(
    ("true", "told", "same"),
    [
        # Whole numbers, of a range of 200: half a unit.
        ((150.4, 300, 100), (150,), True),
        ((150.4, 300, 100), (151,), False),
        # Of a range of 10: one percent of it, which is less.
        ((1004.05, 1010, 1000), (1004,), True),
        ((1004.4, 1010, 1000), (1004,), False),
        # Of a range of 50: one percent is 0.5, and what lies as far is as it was.
        ((120.5, 150, 100), (120,), True),
        # Not rounded: a millionth of the value, of one at least.
        ((1000, 300, 100), (1000.0005, 300.0000000001), True),
        ((1000, 300, 100), (1000.0015, 300.0000000001), False),
        ((0.5, 300, 100), (0.5000005, 300.0000000001), True),
        ((0.5, 300, 100), (0.5000015, 300.0000000001), False),
    ],
)
def test_events_are_as_they_were_generated(true: Sequence[float], told: Sequence[float], same: bool) -> None:
    sample = table("event_id,ptmiss", [*enumerate(true), (3, true[1])])
    found = Work(sample=sample, **at_values(*told)).check("membership")
    expected = f"{len(told)} events of the sample" if same else "event 0 has another ptmiss than it was"
    assert found == (same, expected if same else expected + " generated with")


# ---------------------------------------------------------------- histogram


def fits(yields: Sequence[float], question: Question = QUESTION, **parts: Any) -> bool | None:
    return Work(yields=yields, question=question, **parts).check("histogram")[0]


@pytest.mark.parametrize(
    ("head", "detail"),
    [
        ("event_id,mass,selected,ptmiss", f"{SELECTED} has no column weight"),
        ("event_id,weight,cut,ptmiss", f"{SELECTED} has no column selected"),
        ("event_id,weight,selected,ht", f"{SELECTED} has no column ptmiss"),
    ],
)
def test_a_column_that_is_missing(head: str, detail: str) -> None:
    assert Work(head=head).check("histogram") == (False, detail)


@pytest.mark.parametrize(
    "row", [(2, 1.25, 2, 250), (2, "nan", 1, 250), (2, "inf", 0, 250), (2, 1.25, 1, "nan")]
)
def test_weights_flags_and_observables_are_some(row: Row) -> None:
    rows = [*Work().rows[:2], row]
    assert Work(rows=rows).check("histogram") == (
        False,
        f"{SELECTED} holds a weight, flag or observable that is none",
    )


def test_events_are_counted_where_they_are_selected() -> None:
    assert Work().check("histogram") == (True, "3 selected events")
    rows = [*Work().rows[:2], (2, 1.25, 0, 250), (3, 1.25, 1, 90)]
    assert Work(yields=(2.5, 0.0), rows=rows).check("histogram") == (True, "2 selected events")


def test_an_event_printed_at_an_edge_may_lie_on_either_side() -> None:
    on_edge = at_values(150, 200, 200)
    for first in (1.25, 2.5, 3.75):
        assert fits((first, 3.75 - first), **on_edge)
    assert not fits((5.0, 0.0), **on_edge)
    # At the lowest edge, below which there is no bin.
    assert fits((1.25, 1.25), **at_values(100, 250))
    assert fits((0.0, 1.25), **at_values(100, 250))
    # What was not selected is doubtful nowhere, nor is what has all its digits.
    rows = [(0, 1.25, 1, 150), (1, 1.25, 0, 200)]
    assert not fits((2.5, 0.0), rows=rows)
    assert not fits((2.5, 0.0), **at_values(150, "200.0000000001"))


@pytest.mark.parametrize(
    ("edges", "value", "doubtful"),
    [
        # Whole numbers may be off by half a unit,
        ((100.0, 200.3, 300.0), 200, True),
        ((100.0, 202.0, 300.0), 201, False),
        # but by no more than a percent of the range: here 0.2.
        ((1000.3, 1010.3, 1020.3), 1010, False),
        ((1000.15, 1010.15, 1020.15), 1010, True),
    ],
)
def test_cut_digits_count_up_to_a_percent_of_the_range(
    edges: Sequence[float], value: float, doubtful: bool
) -> None:
    assert fits((1.25, 0.0), binned(*edges), **at_values(value))
    assert fits((0.0, 1.25), binned(*edges), **at_values(value)) is doubtful


@pytest.mark.parametrize(
    ("weight", "told", "same"),
    [
        # A thousandth, of a thousandth at least, where all digits are there,
        (10.0, (10.0090000001, 0.0), True),
        (10.0, (10.0110000001, 0.0), False),
        (0.1, (0.1000900001, 0.0), True),
        (0.1, (0.1005000001, 0.0), False),
        (0.0, (0.0000015, 0.0), True),
        (0.0, (0.0000025, 0.0), False),
        # else half a unit of the last.
        (9.6, (10.0, 0.0), True),
        (9.4, (10.0, 0.0), False),
        (half_unit(0.0, (0.0,)), (0.0, 0.0), True),
        (0.51, (0.0, 0.0), False),
    ],
)
def test_yields_are_sums_of_weights(weight: float, told: Sequence[float], same: bool) -> None:
    assert fits(told, **at_values(150, weight=weight)) is same


def test_a_shape_may_have_any_scale() -> None:
    shape = replace(QUESTION, shape=True)
    for total in (1.0, 0.75, 30.0):
        assert fits((total * 2 / 3, total / 3), shape)
        assert not fits((total / 3, total * 2 / 3), shape)
    light = at_values(150, 160, 250, weight=0.125)
    assert fits((2.0, 1.0), shape, **light)
    assert not fits((2.0, 1.0), **light)
    # Nothing has no shape.
    assert Work(yields=(0.0, 0.0), question=shape).check("histogram") == (
        False,
        "bin 0: 0 submitted, 2.5 from the events",
    )
    assert Work(question=shape, rows=[(0, 1.25, 0, 150)]).check("histogram") == (
        False,
        "bin 0: 2.5 submitted, 0 from the events",
    )


def test_the_statistical_error_is_that_of_the_weights() -> None:
    rows = [(0, 3.0, 1, 150), (1, 4.0, 1, 160), (2, 2.0, 1, 250)]
    assert Work(yields=(7.0, 2.0), rows=rows).finding().monte_carlo == (5.0, 2.0)
    shape = replace(QUESTION, shape=True)
    assert Work(yields=(14.0, 4.0), rows=rows, question=shape).finding().monte_carlo == (10.0, 4.0)
    assert Work(yields=(8.0, 2.0), rows=rows).finding().monte_carlo is None


# ---------------------------------------------------------------- weights


@pytest.mark.parametrize(
    ("parts", "passed", "detail"),
    [
        (with_weights(2.5, n=4), True, "each event weighs 2.5"),
        # 10 / 7 with two decimals.
        (with_weights(1.43, n=7), True, "each event weighs 1.43"),
        (
            with_weights(1.44, n=7),
            False,
            "weight x generated is 10.08, luminosity x cross section x branching x filter is 10: "
            "a factor 1.008 is unexplained",
        ),
        # 10 / 3 with none: 0.5 of 3 is more than a percent.
        (with_weights(3, n=3), None, "a weight of 3 is rounded too far to tell"),
        (
            with_weights(0, n=1, expected=half_unit(0.0, (0.0,))),
            None,
            "a weight of 0 is rounded too far to tell",
        ),
        # A millionth is nothing, however far a weight was rounded.
        (with_weights(1, n=1_000_001, expected=1e6), True, "each event weighs 1"),
        (with_weights(1, n=1_000_002, expected=1e6), None, "a weight of 1 is rounded too far to tell"),
        (with_weights(2.0, 3.0, n=4), None, "weights vary, and only those of selected events are there"),
        (with_weights(3.0, 2.0, n=4), None, "weights vary, and only those of selected events are there"),
        (with_weights(n=4), None, "no event has a weight"),
        ({"head": "event_id,mass,selected,ptmiss"}, None, "no event has a weight"),
        (
            {"rows": [(0, 1.25, 1, 150)], "rate": {"n_generated": 5}},
            False,
            "5 events are claimed, 4 were generated",
        ),
        (
            {"generated": {"n_generated": 12345678901234567890123}},
            False,
            "4 events are claimed, 12345678901234567890 were generated",
        ),
    ],
)
def test_weights_follow_from_the_rate(parts: dict[str, Any], passed: bool | None, detail: str) -> None:
    assert Work(**parts).check("weights") == (passed, detail)


def test_a_rate_beyond_all_numbers_explains_no_weight() -> None:
    parts = with_weights(1.25, n=4, expected=1e200)
    parts["rate"] |= {"xsec_fb": 1e200}
    assert Work(**parts).check("weights")[0] is False


# ---------------------------------------------------------------- granularity

SEVENTH = 100 / 7
COARSE = 4 * half_unit(0.0, (0.0,))
"""A quarter of it is what a whole number may be off by."""


@pytest.mark.parametrize(
    ("weight", "yields", "passed"),
    [
        (1.25, (2.5, 1.25), True),
        (1.25, (3.0, 1.25), False),
        # All digits: a millionth of a step.
        (SEVENTH, (3 * SEVENTH + 7e-6, 0.0), True),
        (SEVENTH, (3 * SEVENTH + 3e-5, 0.0), False),
        (SEVENTH, (1e-6 * SEVENTH, 0.0), True),
        (SEVENTH, (1.1e-6 * SEVENTH, 0.0), False),
        # 1 / 7 and 10 / 7 with few digits: three events may be off three times as far.
        ("0.14", (3 / 7, 0.0), True),
        ("1.4", (30 / 7, 0.0), True),
        ("1.40001", (30 / 7, 0.0), False),
        # Whole yields tell nothing of steps up to four times half a unit.
        (1.9, (1.0, 0.0), True),
        (COARSE, (1.0, 0.0), True),
        (2.2, (1.0, 0.0), False),
        # Nor does a large yield of a weight of two digits; another bin may.
        ("1.4", (100.0, 0.0), True),
        ("1.4", (100.0, 2.1), False),
        ("1.4", (100.0, 2.8), True),
    ],
)
def test_yields_are_whole_numbers_of_equal_weights(
    weight: object, yields: Sequence[float], passed: bool
) -> None:
    found = Work(yields=yields, **with_weights(weight, weight, n=4)).check("granularity")
    assert found[0] is passed
    if passed:
        assert found[1] == f"in steps of {float(str(weight)):g}"


@pytest.mark.parametrize(
    ("parts", "detail"),
    [
        ({"yields": (None, None)}, "there are no events of equal weight"),
        (with_weights(2.0, 3.0, n=4), "there are no events of equal weight"),
        (with_weights(3.0, 2.0, n=4), "there are no events of equal weight"),
        (with_weights(0, n=4), "there are no events of equal weight"),
        (with_weights(n=4), "there are no events of equal weight"),
        ({"question": replace(QUESTION, shape=True)}, "a shape may have any scale"),
    ],
)
def test_steps_that_nobody_knows(parts: dict[str, Any], detail: str) -> None:
    assert Work(**parts).check("granularity") == (None, detail)


def test_a_yield_between_steps_is_told() -> None:
    assert Work(yields=(2.5, 3.0)).check("granularity") == (False, "bin 1: 3 is 2.4000 events")


# ---------------------------------------------------------------- regeneration and cost


def test_two_shards_that_the_hash_of_the_ledger_chooses_are_made_again(counting: Counting) -> None:
    work = Work(**generated(CARD, n=2 * 997))
    counting.made.clear()
    assert work.check("regeneration") == (True, "2 of 997 shards made again")
    text = hashlib.sha256(work.run().ledger or b"").hexdigest()
    assert counting.made == sorted((int(text[:16], 16) % 997, int(text[16:32], 16) % 997))


def test_a_shard_that_is_another_is_named(counting: Counting) -> None:
    parts = generated(CARD, n=2)
    assert Work(**parts).check("regeneration") == (True, "1 of 1 shards made again")
    parts["generated"]["shards"] = ["0" * 64]
    assert Work(**parts).check("regeneration") == (False, "shard 0 made again is another")


@pytest.mark.parametrize(
    ("change", "passed", "detail"),
    [
        ({"card": {"generator": "none"}}, None, "the generator is not there to make events again"),
        ({"card": None}, None, "the generator is not there to make events again"),
        ({"seed": "50"}, False, "the ledger does not tell seed and shards of the generation"),
        ({"shards": "ab"}, False, "the ledger does not tell seed and shards of the generation"),
        (
            {"card": CARD | {"point": "Q"}},
            False,
            "the generation in the ledger is not one that the generator makes",
        ),
        ({"shards": ["a"]}, False, "the generation in the ledger is not one that the generator makes"),
        (
            {"shards": ["a", "b", "c"]},
            False,
            "the generation in the ledger is not one that the generator makes",
        ),
    ],
)
def test_a_generation_that_cannot_be_made_again(
    counting: Counting, change: dict[str, Any], passed: bool | None, detail: str
) -> None:
    parts = generated(CARD)
    parts["generated"] |= change
    assert Work(**parts).check("regeneration") == (passed, detail)


def test_nothing_is_made_again_where_nobody_asks(counting: Counting) -> None:
    work = Work(yields=(2.5, 0.0), **generated(CARD))
    counting.made.clear()
    found = examine(work.run(), QUESTION, regenerate=False)
    assert found.check("regeneration") == Check("regeneration", None, "nothing was made again")
    assert (found.verdict, found.machine, counting.made) == ("PASSED", False, [])


@pytest.mark.parametrize(
    ("told", "passed", "detail"),
    [
        # 5,000 events a second on each of 128 cores, and a thousandth of a second at least.
        ({"n_generated": 640_000, "wall_s": 1}, True, "1 s"),
        ({"n_generated": 640_001, "wall_s": 1}, False, "640001 events in 1 s"),
        ({"n_generated": 640, "wall_s": 0.0}, True, "0 s"),
        ({"n_generated": 641, "wall_s": 0.0}, False, "641 events in 0 s"),
        ({"wall_s": None}, True, "no clock was kept"),
        ({"wall_s": True}, True, "no clock was kept"),
    ],
)
def test_events_cost_time(told: dict[str, Any], passed: bool, detail: str) -> None:
    assert Work(generated=told).check("cost") == (passed, detail)


# ---------------------------------------------------------------- soft


@pytest.mark.parametrize(
    ("card", "passed", "detail"),
    [
        ({"point": "P"}, True, ""),
        ({"point": "Q"}, False, "Q was generated, not P"),
        ({"point": "Q" * 70}, False, "Q" * 60 + " was generated, not P"),
        (None, None, "there is no card"),
    ],
)
def test_the_point_of_the_card(card: object, passed: bool | None, detail: str) -> None:
    assert Work(generated={"card": card}).check("point") == (passed, detail)


@pytest.mark.parametrize(
    ("parts", "detail"),
    [
        ({}, ""),
        ({"told": [{"xsec_fb": 9.0}, {"note": "or", "xsec_fb": 2.0, "other": 3.0}, None]}, ""),
        ({"told": [{"xsec_fb": 1.2}]}, "a cross section of 2 fb was never looked up"),
        (
            {"told": [{"xsec_fb": True}], "rate": {"xsec_fb": 1.0}},
            "a cross section of 1 fb was never looked up",
        ),
        # A millionth is nothing.
        ({"told": [{"xsec_fb": 1e6}], "rate": {"xsec_fb": 1e6 + 1}}, ""),
        (
            {"told": [{"xsec_fb": 1e6}], "rate": {"xsec_fb": 1e6 + 2}},
            "a cross section of 1e+06 fb was never looked up",
        ),
        ({"rate": {"lumi_fb": 2.6}}, "the luminosity is 2.6/fb in the weights"),
        ({"rate": {"lumi_fb": 1e6 + 1}, "question": replace(QUESTION, luminosity_fb=1e6)}, ""),
        (
            {"rate": {"lumi_fb": 1e6 + 2}, "question": replace(QUESTION, luminosity_fb=1e6)},
            "the luminosity is 1e+06/fb in the weights",
        ),
    ],
)
def test_the_rate_is_what_the_run_was_told(parts: dict[str, Any], detail: str) -> None:
    assert Work(**parts).check("rate") == (not detail, detail)


@pytest.mark.parametrize(
    ("drawn", "efficiency", "detail"),
    [
        # Four events of eight that were drawn.
        ((2, 1, 3, 2), 0.5, ""),
        ((2, 1, 3, 2), 0.6, "a filter efficiency of 0.6 stands in the weights, 0.5 in the sample"),
        ((2, 1, 3, 2), 0.50000025, ""),
        (
            (2, 1, 3, 2),
            0.50000075,
            "a filter efficiency of 0.500001 stands in the weights, 0.5 in the sample",
        ),
        ((1,), 0.5, "a filter efficiency of 0.5 stands in the weights, 1 in the sample"),
        ((1,), 1.0, ""),
        # A millionth is nothing.
        ((1e-6,), 1e6 + 1, ""),
        # A column that tells nothing.
        ((0, 0, 0, 0), 0.5, ""),
    ],
)
def test_the_efficiency_of_the_filter_is_that_of_the_sample(
    drawn: Sequence[float], efficiency: float, detail: str
) -> None:
    sample = table("event_id,ptmiss,drawn", [(n, 150, count) for n, count in enumerate(drawn)])
    work = Work(sample=sample, generated={"n_generated": len(drawn)}, rate={"filter_eff": efficiency})
    assert work.check("rate") == (not detail, detail)


@pytest.mark.parametrize(
    ("yields", "text", "passed"),
    [
        ((2.5, 1.25), b"[5.0, 2.5]", False),
        ((0.5, 0.25), b"[5.0, 2.5]", False),
        ((2.5, 1.25), b"[5.0, 3.5]", True),
        ((2.5, 0.0), b"[5.0, 0.0]", None),
        ((0.0, 0.0), b"[5.0, 0.0]", None),
        ((2.5, 1.25), None, None),
    ],
)
def test_yields_that_stand_in_a_script(
    yields: Sequence[float], text: bytes | None, passed: bool | None
) -> None:
    detail = {
        False: f"{SCRIPT} holds the yields, or a multiple of them",
        True: "",
        None: "there are no scripts, or fewer than two yields",
    }
    assert Work(yields=yields, files={SCRIPT: text}).check("literal_yields") == (passed, detail[passed])


@pytest.mark.parametrize(
    ("reference", "before", "after", "passed", "detail"),
    [
        ((1.23, 4.56, 7.89), ["1.23"], ["4.56 7.89"], True, "1 of 3 values"),
        ((1.23, 4.56, 7.89), ["1.23", "4.56"], [], False, "2 of 3 values"),
        ((1.23, 4.56, 7.89), ["1.23 and 4.56, 7.89"], [], False, "3 of 3 values"),
        ((1.23, 4.5, 7.8), ["1.23 4.5 7.8"], [], False, "1 of 1 values"),
        ((1.23, 4.5, 7.8), ["4.5 7.8"], ["1.23"], True, "0 of 1 values"),
        ((1.2, 4.5, 7.8), ["1.2 4.5 7.8"], [], None, "no reference value has three digits"),
        (None, ["1.23"], [], None, "no reference value has three digits"),
    ],
)
def test_reference_values_that_were_written_down_before_the_first_event(
    reference: tuple[float, ...] | None,
    before: Sequence[str],
    after: Sequence[str],
    passed: bool | None,
    detail: str,
) -> None:
    question = binned(100.0, 200.0, 300.0, 400.0, reference=reference)
    work = Work(yields=(2.5, 1.25, 0.0), before=before, after=after, question=question)
    assert work.check("reference_quoted") == (passed, detail)


@pytest.mark.parametrize("path", ["data/theirs.csv", "sims/theirs.json"])
def test_files_that_no_tool_wrote(path: str) -> None:
    assert Work(files={"analysis/notes": b"", SCRIPT: b""}).check("strays") == (True, "")
    assert Work(files={path: b""}).check("strays") == (False, f"{path} was written by no tool of this run")


def counted(n: int, weight: float = 1.0) -> dict[str, Any]:
    """n events of one weight in the first bin."""
    return {"rows": [(k, weight, 1, 150) for k in range(n)], "yields": (n * weight, 0.0)}


TOO_GOOD = "d is below 0.005 and a tenth of the statistical error"


@pytest.mark.parametrize(
    ("parts", "reference", "passed", "detail"),
    [
        # A thousand events: d is 0.005 at a distance of 5, a tenth of the error is the root of 10.
        (counted(1000), (1000.0, 1.0), False, TOO_GOOD),
        (counted(1000), (1000.0 + math.sqrt(9.95), 0.0), False, TOO_GOOD),
        (counted(1000), (1003.0, 1.0), True, "0.10 statistical errors"),
        (counted(1000), (1004.0, 0.0), True, "0.13 statistical errors"),
        # One event: a tenth of the error is 20, d is 0.005 at a distance of 1.
        (counted(1, 200.0), (200.0, 0.5), False, TOO_GOOD),
        (counted(1, 201.0), (200.0, 0.0), True, "0.00 statistical errors"),
        (counted(1, 200.0), (200.0, 1.5), True, "0.01 statistical errors"),
        # One of a small weight.
        (counted(1, 0.5), (0.5, 0.001), False, TOO_GOOD),
        (counted(1, 0.5), (0.5, 0.01), True, "0.02 statistical errors"),
        (counted(1000), (0.0, 0.0), None, "there is no statistical error"),
        (counted(0), (5.0, 1.0), None, "there is no statistical error"),
        (
            counted(1000) | {"yields": (1100.0, 0.0)},
            (1100.0, 0.0),
            None,
            "there are no confirmed events to compare with",
        ),
        (counted(1000), None, None, "there are no confirmed events to compare with"),
    ],
)
def test_yields_much_nearer_to_the_reference_than_their_statistics_allow(
    parts: dict[str, Any], reference: tuple[float, ...] | None, passed: bool | None, detail: str
) -> None:
    work = Work(question=replace(QUESTION, reference=reference), **parts)
    assert work.check("too_good") == (passed, detail)
