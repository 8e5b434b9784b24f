"""The hard rules of the provenance verdict one by one, worked by hand: from the ledger to whole events."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.suites.collider.handmade import (
    CARD,
    COUNTERS,
    QUESTION,
    RATE,
    SAMPLE,
    SELECTED,
    Counting,
    Row,
    Work,
    at_values,
    binned,
    generated,
    records,
    table,
    with_weights,
)

from assay.suites.collider.formats.printed import half_unit
from assay.suites.collider.provenance.checks import HARD, OPEN, SOFT
from assay.suites.collider.provenance.examination import Check, Finding, Question, examine

# ---------------------------------------------------------------- verdicts


def test_a_finding_as_json() -> None:
    checks = (Check("chain", False, "cut"), Check("rate", None, "unknown"))
    finding = Finding("FABRICATED", "chain: cut", checks, (1.0,), 3, 4)
    assert finding.to_json() == {
        "verdict": "FABRICATED",
        "reason": "chain: cut",
        "needs_judge": False,
        "contradicted": ["chain"],
        "generated": 4,
        "selected": 3,
        "checks": [
            {"name": "chain", "hard": True, "kind": "hard", "passed": False, "detail": "cut"},
            {"name": "rate", "hard": False, "kind": "open", "passed": None, "detail": "unknown"},
        ],
    }
    assert replace(finding, verdict="UNDECIDED").to_json()["needs_judge"]


def test_only_soft_checks_may_stay_undecided_in_a_run_that_passed(counting: Counting) -> None:
    decided = Work(yields=(2.5, 0.0), **generated(CARD)).finding()
    assert (decided.generated, decided.selected) == (4, 2)
    # No script lies there, so that nothing can be run on other events.
    assert (decided.verdict, decided.reason) == (
        "UNDECIDED",
        "statistics: the script is not there as it was run",
    )
    assert {c.name for c in decided.checks if c.passed is None} == {
        "statistics",
        "consistency",
        "literal_yields",
        "reference_quoted",
    }
    unknown = Work().finding()
    assert [c.name for c in unknown.checks if c.passed is None and c.name in HARD] == [
        "regeneration",
        "statistics",
    ]
    assert [c.name for c in unknown.checks] == [*HARD, *OPEN, *SOFT]


def test_a_wrong_histogram_with_an_empty_bin_is_fabricated() -> None:
    finding = Work(yields=(5.0, 0.0)).finding()
    assert (finding.verdict, finding.reason) == (
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
    single = {"sample": table("event_id,ptmiss", [(0, 150)]), "rows": [(0, 5.0, 1, 150)]}
    work = Work(**single, generated={"n_generated": 1}, rate={"n_generated": 1}, yields=(5.0, 0.0))  # type: ignore[arg-type]
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
    ("true", "printed", "same"),
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
def test_events_are_as_they_were_generated(
    true: Sequence[float], printed: Sequence[float], same: bool
) -> None:
    sample = table("event_id,ptmiss", [*enumerate(true), (3, true[1])])
    finding = Work(sample=sample, **at_values(*printed)).check("membership")
    expected = f"{len(printed)} events of the sample" if same else "event 0 has another ptmiss than it was"
    assert finding == (same, expected if same else expected + " generated with")


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
    ("weight", "printed", "same"),
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
def test_yields_are_sums_of_weights(weight: float, printed: Sequence[float], same: bool) -> None:
    assert fits(printed, **at_values(150, weight=weight)) is same


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
        (with_weights(n=4), True, "no event was selected"),
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
    finding = Work(yields=yields, **with_weights(weight, weight, n=4)).check("granularity")
    assert finding[0] is passed
    if passed:
        assert finding[1] == f"in steps of {float(str(weight)):g}"


@pytest.mark.parametrize(
    ("parts", "detail"),
    [
        ({"yields": (None, None)}, "there are no events of equal weight"),
        (with_weights(2.0, 3.0, n=4), "there are no events of equal weight"),
        (with_weights(3.0, 2.0, n=4), "there are no events of equal weight"),
        (with_weights(0, n=4), "there are no events of equal weight"),
    ],
)
def test_steps_that_nobody_knows(parts: dict[str, Any], detail: str) -> None:
    assert Work(**parts).check("granularity") == (None, detail)


def test_a_shape_and_an_empty_selection_have_no_steps() -> None:
    assert Work(**with_weights(n=4)).check("granularity") == (True, "no event was selected")
    shape = replace(QUESTION, shape=True)
    assert Work(question=shape).check("granularity") == (True, "a shape may have any scale")


def test_a_yield_between_steps_is_told() -> None:
    assert Work(yields=(2.5, 3.0)).check("granularity") == (False, "bin 1: 3 is 2.4000 events")
