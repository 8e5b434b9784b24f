"""The hand-checked numbers of every column, as tables."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import pytest

from assay.suites.sgi.columns import dry_experiment
from assay.suites.sgi.dry.runs import Run
from assay.suites.sgi.metrics import ideas, reasoning
from assay.suites.sgi.metrics.aggregate import partial, released_score, sgi4, sgi_score
from assay.suites.sgi.metrics.protocols import (
    paper_similarity,
    parameter_accuracy,
    references,
    released_accuracy,
    released_similarity,
    sequence_similarity,
    tokens,
)
from assay.suites.sgi.metrics.research import StepAccuracy, exact_match
from assay.suites.sgi.text.contracts import choice, released_choice
from assay.suites.sgi.text.program import parse, parse_released

NUMBER = {"kind": "number"}
PERCENT = {"kind": "number", "unit": "%"}


@pytest.mark.parametrize(
    ("gold", "response", "answer", "strict", "objective"),
    [
        ("2.23, 3.2, 10", [NUMBER] * 3, "2.23,3.2,10", False, True),
        ("2.23, 3.2, 10", [NUMBER] * 3, "2.23, 10, 3.2", False, False),
        ("62.0", [PERCENT], "62%", False, True),
        ("1034.00", [NUMBER], "1034.0", False, True),
        ("4.10", [NUMBER], "4.1", False, True),
        ("4.13", [NUMBER], "4.1", False, False),
        ("4.13", [NUMBER], "4.1348", False, True),
        ("1.2e-3", [NUMBER], "0.00124", False, True),
        ("1.2e-3", [NUMBER], "0.0013", False, False),
        ("1.2e-3", [NUMBER], "0.0012", False, True),
        ("1.2e-3", [NUMBER], "1.2×10⁻³", False, True),
        ("T cell", [{"kind": "string"}], "t-cell", False, True),
        ("4.13", None, "about 4.13", False, True),
        ("1034", None, "1,034", False, True),
        ("4.13", None, "4.1-4.2", False, False),
        ("4.13", None, "nan", False, False),
        ("4.13", None, "", False, False),
        ("T cell", None, "T cell", True, True),
    ],
)
def test_exact_match(gold: str, response: Any, answer: str, strict: bool, objective: bool) -> None:
    assert (gold == answer) is strict
    assert exact_match(gold, answer, response) is objective


def test_step_accuracy() -> None:
    assert (StepAccuracy(3, 5, 4).paper, StepAccuracy(3, 5, 4).objective) == (0.6, 0.6)
    assert StepAccuracy(3, 5, 4).recall == 0.75
    assert (StepAccuracy(1, 1, 4).paper, StepAccuracy(1, 1, 4).objective) == (1.0, 0.25)


ORDERS = [
    ("ABCDE", "ABCDE", 1, 1),
    ("ABCDE", "EDCBA", 0, 0),
    ("ABCDE", "BACDE", 0.9, 0.9),
    ("ABCD", "BDAC", 0.5, 0.5),
    ("ABC", "BCA", 1 / 3, 1 / 3),
    ("ABCD", "ABC", 0.5, 0),
    ("ABCD", "ABCDX", 0.6, 0),
    ("ABCD", "ABCC", 0.5, 1),
    ("ABCB", "ABBC", 5 / 6, 5 / 6),
    ("ABCD", "WXYZ", 0, 1),
    ("ABDC", "ACDB", 0.5, 5 / 6),
    ("ABDC", "ADBC", 5 / 6, 0.5),
    ("ACDB", "BDCA", 0, 2 / 3),
    ("ABCD", "", 0, 0),
    ("A", "A", 1, 1),
    ("A", "B", 0, 1),
]


def numbered(letters: str) -> list[tuple[str, int]]:
    return [(letter, letters[:at].count(letter)) for at, letter in enumerate(letters)]


@pytest.mark.parametrize(("reference", "predicted", "objective", "released"), ORDERS)
def test_sequence_similarity(reference: str, predicted: str, objective: float, released: float) -> None:
    assert sequence_similarity(numbered(reference), numbered(predicted)) == pytest.approx(objective)
    assert released_similarity(reference, predicted) == pytest.approx(released)
    if sorted(reference) == sorted(predicted) and len(set(reference)) == len(reference):
        assert paper_similarity(numbered(reference), numbered(predicted)) == (pytest.approx(objective), "")
    elif len(reference) > 1:
        assert paper_similarity(numbered(reference), numbered(predicted)) == (0.0, "undefined")


WEIGH = 'a = <Weigh>(\n    mass="5 g",\n)'
DISSOLVE = 'b = <Dissolve>(\n    solute=a,\n    solvent="water",\n)'
FILTER = "c = <Filter>(\n    solution=b,\n)"
MEASURE = 'd = <Measure>(\n    sample=c,\n    wavelength="450 nm",\n)'
CHAIN = "\n".join([WEIGH, DISSOLVE, FILTER, MEASURE])
PREPARED = (
    'p1 = <Prepare>(\n    reagent="X",\n    vol="1 mL",\n)\n'
    'p2 = <Prepare>(\n    reagent="Y",\n    vol="2 mL",\n)\n'
    "m = <Mix>(\n    first=p1,\n    second=p2,\n)"
)
SWAPPED = "\n".join([*PREPARED.split("\n")[4:8], *PREPARED.split("\n")[:4], *PREPARED.split("\n")[8:]])


@pytest.mark.parametrize(
    ("gold", "text", "released", "objective"),
    [
        (CHAIN, CHAIN, (1, 1), (1, 1)),
        (CHAIN, CHAIN.replace("a = ", "x = ").replace("solute=a", "solute=x"), (1, 1), (1, 1)),
        (CHAIN, CHAIN.replace("450", "900"), (1, 1), (1, 5 / 6)),
        (CHAIN, CHAIN.replace("sample=c", "sample=b"), (1, 0.75), (1, 5 / 6)),
        (CHAIN, CHAIN.replace("solute=a", 'solute="powder"'), (1, 0.25), (1, 5 / 6)),
        (CHAIN, "\n".join([WEIGH, FILTER, DISSOLVE, MEASURE]), (5 / 6, 0.25), (5 / 6, 5 / 6)),
        (CHAIN, "\n".join([WEIGH, DISSOLVE, FILTER]), (0, 0.75), (0.5, 4 / 6)),
        (CHAIN, 'z = <Rinse>(\n    with="water",\n)\n' + CHAIN, (0, 0), (0.6, 6 / 7)),
        (CHAIN, CHAIN.replace('mass="5 g",', 'mass="5 g",\n    tare="1 g",'), (1, 0), (1, 6 / 7)),
        (CHAIN, "", (0, 0), (0, 0)),
        (CHAIN, 'a = <Weigh>(mass="5 g")', (0, 0), (0, 1 / 6)),
        # Our rule aligns repeats by their parameters: the swap costs nothing, where alignment by
        # occurrence would give PA 0.
        (PREPARED, SWAPPED, (1, 2 / 3), (1, 1)),
    ],
)
def test_parameter_accuracy(gold: str, text: str, released: Any, objective: Any) -> None:
    ours, theirs = parse(gold), parse(text)
    assert sequence_similarity(tokens(ours), tokens(theirs)) == pytest.approx(objective[0])
    assert parameter_accuracy(ours, theirs).objective == pytest.approx(objective[1])
    a, b = parse_released(gold), parse_released(text)
    names = [[step.action for step in program.steps] for program in (a, b)]
    assert released_similarity(*names) == pytest.approx(released[0])
    assert released_accuracy(a, b) == pytest.approx(released[1])


def test_a_reference_to_a_later_output_is_invalid() -> None:
    assert references(parse(CHAIN))[1]
    assert not references(parse("\n".join([WEIGH, FILTER, DISSOLVE, MEASURE])))[1]


def test_dry_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    """PassAll@k and SER of items are means of their values of single items; AET is the mean of clean runs."""
    item = {f"unit_test_{k}_output": "right" for k in range(5)}
    values: dict[str, list[float | None]] = defaultdict(list)
    for passed, ended in zip((5, 5, 4, 3, 0, 1, 2, 5), (5, 5, 5, 4, 0, 1, 3, 5), strict=True):
        runs = [Run(k < ended, "right" if k < passed else "wrong", "", seconds=k) for k in range(5)]
        for value in dry_experiment.of_runs(item, "objective", runs, ()):
            values[value.metric].append(value.value)
    means = {metric: sum(value or 0.0 for value in found) / len(found) for metric, found in values.items()}
    assert [means[f"pass_all_{k}"] for k in (1, 3, 5)] == [0.875, 0.625, 0.375]
    assert means["ser"] == pytest.approx(0.7)
    timed = [Run(True, "", "", seconds=1.0), Run(False, "", "", seconds=30.0), Run(True, "", "", False)]
    for runs, seconds in ((timed, 1.0), (timed[1:], None)):
        monkeypatch.setattr(dry_experiment, "runs_of", lambda item, reply, runs=runs: (runs, ()))
        assert dry_experiment.mean_seconds(item, "") == seconds


@pytest.mark.parametrize(
    ("length", "similarity", "present", "released", "value"),
    [
        (520, 0.31, 6, True, 9.56),
        (250, 0.45, 6, True, 8.80),
        (900, 0.20, 5, True, 8.866666667),
        (0, None, 6, True, 10.0),
        (0, None, 5, False, 5.666666667),
    ],
)
def test_detailedness(length: int, similarity: Any, present: int, released: bool, value: float) -> None:
    assert ideas.detailedness(length, similarity, present, released) == pytest.approx(value)


def test_released_graph() -> None:
    found = ideas.graph_by_ids(
        {"1": "collect samples", "2": "train model", "3": "validate"},
        ["1-2", "2-3"],
        {"1": "collect data", "2": "train model", "3": "evaluate"},
        ["1-2", "1-3", "2-3"],
    )
    assert 10 * found == pytest.approx(57.142857)


STEPS = {
    "1": "acquire spectra of 40 stars",
    "2": "preprocess spectra with width 5 nm",
    "3": "represent lines by 12 coefficients",
    "4": "model noise with variance 0.3",
    "5": "optimise the weights in 200 rounds",
    "6": "validate on 25 held stars",
}
TYPES = dict(zip(STEPS, ("acquire", "preprocess", "represent", "model", "optimise", "validate"), strict=True))
EDGES = ["1-2", "2-3", "2-4", "3-5", "4-5", "5-6"]
SLOTS = {key: [[text.split()[1]]] for key, text in STEPS.items()}


@pytest.mark.parametrize(
    ("order", "value"),
    [
        (EDGES, 10.0),
        (["1-2", "2-3", "3-4", "4-5", "5-6"], 9.555555556),
        ([f"{edge[2]}->{edge[0]}" for edge in EDGES], 6.0),
    ],
)
def test_objective_graph(order: list[str], value: float) -> None:
    edges = ideas.edges_of(STEPS, EDGES)
    assert ideas.objective_graph(STEPS, edges, TYPES, SLOTS, STEPS, order, TYPES)[0] == pytest.approx(value)


def test_a_plan_of_types_without_content_is_worth_little() -> None:
    empty = dict.fromkeys(TYPES, "proceed as planned")
    edges = ideas.edges_of(STEPS, EDGES)
    chain = ["1-2", "2-3", "3-4", "4-5", "5-6"]
    assert ideas.objective_graph(STEPS, edges, TYPES, SLOTS, empty, chain, TYPES)[0] < 3.0


def test_a_cycle_is_broken_in_the_order_of_ids() -> None:
    assert ideas.acyclic([("2", "1"), ("1", "2"), ("10", "2")]) == ([("1", "2"), ("10", "2")], True)


def test_novelty_and_votes() -> None:
    halves = [ideas.dissimilarity([0.42]), ideas.dissimilarity([0.36])]
    assert 10 * 0.5 * sum(halves) == pytest.approx(61.0)
    assert [ideas.vote("overall", g)[0] for g in range(7)] == list("llltwww")
    assert [ideas.vote("novelty", g)[0] for g in range(7)] == list("lllttww")
    parts, votes = [80, 61, 95.6, 57.142857], [6, 3, 6, 3]
    finals = [
        ideas.with_votes(part, dimension, g)
        for part, dimension, g in zip(parts, ideas.DIMENSIONS, votes, strict=True)
    ]
    # wins: yes, no, yes, no
    assert finals == pytest.approx([90, 30.5, 97.8, 28.5714285])
    assert math.fsum(finals) / 4 == pytest.approx(61.717857, abs=1e-6)
    assert math.fsum(parts) / 4 == pytest.approx(73.435714, abs=1e-6)


@pytest.mark.parametrize(
    ("reply", "released", "objective"),
    [
        (r"\boxed{A} .. \boxed{C}", "A", "C"),
        (r"\boxed{\text{b}}", None, "B"),
        (r"\boxed{(B)}", None, "B"),
        (r"\boxed{C} and \boxed{3.2}", "C", "C"),
        ('{"readings": [], "answer": "D"}', None, "D"),
        ("I think\n(B).", None, "B"),
        ("I think B or C", None, None),
    ],
)
def test_choice(reply: str, released: str | None, objective: str | None) -> None:
    assert released_choice(reply) == released
    assert choice(reply).letter == objective


def test_reasoning_validity() -> None:
    assert reasoning.reasoning_validity(3, 4, 4, True) == pytest.approx(8.25)
    assert reasoning.reasoning_validity(3, 4, 20, True) == pytest.approx(3.30)


def test_scores() -> None:
    names = ("deep_research", "idea_generation", "dry_experiment", "wet_experiment", "experimental_reasoning")
    columns: Any = dict(zip(names, (18.48, 39.68, 36.64, 32.45, 41.92), strict=True))
    assert sgi_score(columns) == pytest.approx(33.834)
    assert released_score(columns) == 33.83
    assert sgi4(columns) == pytest.approx(33.65625)
    assert sgi_score({**columns, "wet_experiment": None}) is None
    assert sgi4({**columns, "wet_experiment": None}) is None


def test_scores_with_a_column_of_zero_or_without_one() -> None:
    columns: Any = {
        "deep_research": 10.0,
        "idea_generation": 0.0,
        "dry_experiment": 20.0,
        "wet_experiment": 40.0,
        "experimental_reasoning": 50.0,
    }
    assert sgi4(columns) == 22.5
    assert partial(columns) == (24.0, tuple(columns))
    assert partial({**columns, "wet_experiment": None}) == (
        20.0,
        ("deep_research", "idea_generation", "dry_experiment", "experimental_reasoning"),
    )
    assert partial({"deep_research": None}) == (None, ())


def test_columns_are_rounded_before_their_mean_as_released() -> None:
    """10.0049 is 10.00: a mean of 10.004 and not of 10.00792."""
    names = ("deep_research", "idea_generation", "dry_experiment", "wet_experiment")
    columns: Any = {**dict.fromkeys(names, 10.0049), "experimental_reasoning": 10.02}
    assert released_score(columns) == 10.0
    assert released_score({**columns, "wet_experiment": None}) is None
