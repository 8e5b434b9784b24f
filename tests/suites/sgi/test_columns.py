"""Whole replies under every profile: the hand-checked numbers of the columns that have no generator yet."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import pytest

from assay.suites.sgi.columns import column, idea_generation
from assay.suites.sgi.families import Family
from assay.suites.sgi.metrics import ideas
from assay.suites.sgi.standings import interval
from assay.suites.sgi.text.quantities import quantity


def scores(family: Family, item: Any, reply: str, profile: Any = "objective", judge: Any = None) -> Any:
    return {value.metric: value for value in column.score(family, item, reply, profile, judge)}


# ------------------------------------------------------------ deep research

GOLD_STEPS = [
    {"id": 1, "kind": "find", "doc_id": "d1"},
    {"id": 2, "kind": "read", "doc_id": "d1", "value": "4.70", "unit": "kOhm"},
    {"id": 3, "kind": "read", "doc_id": "d2", "value": "0.22", "unit": "uF"},
    {"id": 4, "kind": "compute", "value": "1034.00", "unit": "us"},
]
CIRCUIT = {"answer": "1034.00", "x_response": [{"kind": "number", "unit": "us"}], "x_steps": GOLD_STEPS}

RIGHT_STEPS = [
    {"kind": "find", "source": "d1"},
    {"kind": "read", "source": "d2", "value": "0.22"},
    {"kind": "compute", "value": "1.034", "unit": "ms"},
]
WRONG_STEPS = [
    {"kind": "read", "source": "d3", "value": "4.70"},
    {"kind": "compute", "value": "1034", "unit": "s"},
]


def test_the_worked_time_constant() -> None:
    found = [quantity(text) for text in ("4.7 kOhm", "0.22 uF", "1034 us")]
    (_, ohm), (_, farad), (_, second) = (one.base() for one in found if one is not None)  # type: ignore[misc]
    assert ohm * farad == second
    value = scores("deep_research", CIRCUIT, "<answer>1034.0 µs</answer>")
    assert (value["headline"].value, value["em_strict"].value) == (1, 0)


def test_the_worked_pooling() -> None:
    cells = [(Fraction("4.20"), "0.10"), (Fraction("4.50"), "0.20"), (Fraction("4.05"), "0.05")]
    weights = [1 / Fraction(error) ** 2 for _, error in cells]
    assert weights == [100, 25, 400]
    pooled = sum(w * value for w, (value, _) in zip(weights, cells, strict=True)) / sum(weights)
    error = 1 / math.sqrt(sum(weights))
    item = {"answer": "4.1000, 0.04364", "x_response": [{"kind": "number"}] * 2}
    given = f"<answer>{float(pooled):.6f}, {error:.6f}</answer>"
    assert scores("deep_research", item, given)["headline"].value == 1
    mean = math.fsum(float(value) for value, _ in cells) / 3  # forgets the weights
    assert scores("deep_research", item, f"<answer>{mean:.4f}, {error:.5f}</answer>")["headline"].value == 0


def test_steps_as_records() -> None:
    reply = json.dumps({"steps": RIGHT_STEPS + WRONG_STEPS, "answer": "1034.00"})
    found = scores("deep_research", CIRCUIT, reply)
    assert found["headline"].value == 1  # there is no tag, so the answer of the JSON block counts
    assert [found[m].value for m in ("sla", "sla_precision", "sla_recall")] == [0.6, 0.6, 0.75]
    one = scores("deep_research", CIRCUIT, json.dumps({"steps": RIGHT_STEPS[:1]}))
    assert [one[m].value for m in ("sla", "sla_precision")] == [0.25, 1.0]
    assert scores("deep_research", CIRCUIT, "<answer>1034</answer>")["sla"].value == 0


def test_steps_by_a_judge() -> None:
    marks = [True, False, True, False, True]

    def judge(question: str, item: Any, reply: str) -> Any:
        return marks if question == "steps" else "1034.00"

    for profile in ("paper", "released"):
        assert scores("deep_research", CIRCUIT, "1", profile, judge)["sla"].value == 0.6
        assert scores("deep_research", CIRCUIT, "1", profile)["sla"].value is None
    # Only the released code lets a model rewrite the answer.
    assert scores("deep_research", CIRCUIT, "1", "released", judge)["headline"].value == 1
    assert scores("deep_research", CIRCUIT, "1", "paper", judge)["headline"].value == 0


# ------------------------------------------------------------ ideas

IDEA = {
    "keywords": ["spectral prior", "sparse sampling"],
    "related_work": repr({"A": "a known way to take few samples", "B": "a prior on spectra"}),
    "existing_solutions": repr({"C": "denser samples"}),
    "related_work_test": repr({"D": "learned sampling"}),
    "implementation_steps": repr({"1": "collect data", "2": "train model", "3": "evaluate"}),
    "implementation_order": ["1-2", "1-3", "2-3"],
}
GIVEN = {
    "Idea": "We join a spectral prior with sparse sampling of the field. " * 8,
    "ImplementationSteps": {"1": "collect samples", "2": "train model", "3": "validate"},
    "ImplementationOrder": ["1-2", "2-3"],
    "Dataset": "a survey",
    "EvaluationMetrics": {"error": "relative"},
    "ExpectedOutcome": "less noise",
}


def test_the_graph_of_a_whole_reply() -> None:
    found = scores("idea_generation", IDEA, json.dumps(GIVEN), "released")
    assert 100 * found["feasibility_objective"].value == pytest.approx(57.142857)
    assert found["headline"].value is None


@pytest.mark.parametrize(("profile", "value"), [("released", 10.0), ("objective", 5.666666667)])
def test_an_empty_idea(profile: str, value: float) -> None:
    found = scores("idea_generation", IDEA, json.dumps({**GIVEN, "Idea": ""}), profile)
    assert 10 * found["detailedness_objective"].value == pytest.approx(value)
    if profile == "objective":
        assert (found["novelty_objective"].value, found["novelty_nn"].value) == (0, 0)


def test_novelty_of_two_corpora() -> None:
    shadows = {"idea": (1.0, 0.0), "known": (0.42, 0.0), "hidden": (0.36, 0.0)}

    def embed(text: str) -> Any:
        return dict(enumerate(shadows[text]))

    known, hidden = (ideas.cosines("idea", [text], embed) for text in ("known", "hidden"))
    assert 10 * ideas.released_novelty(known, hidden) == pytest.approx(61.0)
    assert 10 * ideas.novelty("ten words " * 10, known, hidden) == pytest.approx(61.0)
    assert 10 * ideas.novelty("ten words " * 5, known, hidden) == pytest.approx(30.5)
    assert ideas.nearest_novelty("idea", [*known, *hidden]) == pytest.approx(5.8)


def test_a_copied_idea_is_not_new() -> None:
    copied = {**GIVEN, "Idea": "a known way to take few samples"}
    found, own = (scores("idea_generation", IDEA, json.dumps(given)) for given in (copied, GIVEN))
    assert found["novelty_nn"].value == pytest.approx(0, abs=1e-9)
    assert found["novelty_objective"].value < own["novelty_objective"].value


def test_the_worked_item(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = dict(zip(ideas.DIMENSIONS, (8.0, 6.1, 9.56, 5.7142857), strict=True))
    monkeypatch.setattr(idea_generation, "objective_parts", lambda *_: (parts, 0.0, ""))
    votes = dict(zip(ideas.DIMENSIONS, (6, 4, 4, 3), strict=True))  # wins: yes, no, yes, no

    def judge(*_: object) -> Any:
        return votes

    assert 100 * scores("idea_generation", IDEA, "", "released", judge)["headline"].value == pytest.approx(
        61.717857, abs=1e-6
    )
    assert 100 * scores("idea_generation", IDEA, "")["headline"].value == pytest.approx(73.435714, abs=1e-6)
    by_rate = [(80 + 100) / 2, (61 + 400 / 6) / 2, (95.6 + 400 / 6) / 2, (57.142857 + 50) / 2]
    assert 100 * scores("idea_generation", IDEA, "", "paper", judge)["headline"].value == pytest.approx(
        math.fsum(by_rate) / 4
    )
    assert scores("idea_generation", IDEA, "", "paper")["headline"].value is None


# ------------------------------------------------------------ experimental reasoning

PICTURES = {
    "answer": 2,
    "options": [f"option {k}" for k in range(10)],
    "x_readings": [
        {"panel": "a", "quantity": "peak", "value": "5.0", "unit": "ms", "tol": "0.1"},
        {"panel": "a", "quantity": "width", "value": "2", "unit": "ms", "tol": "0.1"},
        {"panel": "b", "quantity": "peak", "value": "7", "unit": "ms", "tol": "0.1"},
        {"panel": "b", "quantity": "colour", "value": "red", "unit": None},
    ],
}


@pytest.mark.parametrize(
    ("reply", "released", "objective"),
    [
        (r"\boxed{A} .. \boxed{C}", 0, 1),
        (r"\boxed{\text{c}}", 0, 1),
        (r"\boxed{C}", 1, 1),
        (r"\boxed{L}", 0, 0),
        ("", 0, 0),
    ],
)
def test_choices(reply: str, released: float, objective: float) -> None:
    assert scores("experimental_reasoning", PICTURES, reply, "released")["headline"].value == released
    found = scores("experimental_reasoning", PICTURES, reply)
    assert found["headline"].value == objective
    assert found["chance"].value == 0.1
    assert found["headline"].label == ("beyond the options" if "L" in reply else "")


@pytest.mark.parametrize(("spare", "value"), [(0, 0.825), (16, 0.330)])
def test_readings(spare: int, value: float) -> None:
    given = [
        {"panel": "A", "quantity": "Peak", "value": "0.00495", "unit": "s"},
        {"panel": "a", "quantity": "width", "value": 2.05, "unit": "ms"},
        {"panel": "b", "quantity": "peak", "value": "8", "unit": "ms"},
        {"panel": "b", "quantity": "colour", "value": "Red"},
        *({"panel": "c", "quantity": str(k), "value": k} for k in range(spare)),
    ]
    reply = json.dumps({"readings": given, "answer": "C"})

    from assay.suites.sgi.columns import experimental_reasoning

    found = list(experimental_reasoning.score(PICTURES, reply, "objective", formula=lambda readings: "C"))
    assert {v.metric: v.value for v in found}["rv"] == pytest.approx(value)


def test_readings_by_a_judge() -> None:
    for reply, value in (("Score: 7 of 10", 0.7), ("85", 1.0), ("none", 0.0)):
        found = scores("experimental_reasoning", PICTURES, "C", "released", lambda *_, r=reply: r)
        assert found["rv"].value == value
    assert scores("experimental_reasoning", PICTURES, "C", "paper")["rv"].value is None


def test_the_interval_of_a_column() -> None:
    """The published accuracy with the most items right: the bootstrap agrees with Wilson's interval."""
    mean, low, high = interval([100.0] * 122 + [0.0] * 169, "experimental_reasoning")
    assert mean == pytest.approx(41.92, abs=0.005)
    assert low == pytest.approx(36.40, abs=0.5)
    assert high == pytest.approx(47.66, abs=0.5)
