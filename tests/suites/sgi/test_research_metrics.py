"""Every rule of EM, SLA and RV by itself, worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from assay.suites.sgi.metrics.reasoning import matched_readings, reasoning_validity
from assay.suites.sgi.metrics.research import StepAccuracy, exact_match, same_number, step_accuracy

# ------------------------------------------------------------ answers


@pytest.mark.parametrize(
    ("gold", "answer", "same"),
    [
        ("4.13", "4.125", True),  # half up
        ("4.13", "4.135", False),
        ("-4.13", "-4.125", True),
        ("4.13", "4.1", False),
        ("4.10", "4.1", True),
        ("4.13", "4.14", False),
        ("4.13", "four", False),
        ("four", "4", False),
        ("1e1000", "1e-1000", False),
    ],
)
def test_numbers_are_equal_or_round_half_up_to_the_gold(gold: str, answer: str, same: bool) -> None:
    assert same_number(gold, answer) is same


TEXT: Mapping[str, Any] = {"kind": "string", "aliases": ["helper cell"]}


@pytest.mark.parametrize(
    ("gold", "response", "answer", "same"),
    [
        ("1, 2", None, "1,2.0", True),
        ("1, 2", None, "1; 2", True),
        ("1, 2", None, "1, 2, 3", False),
        ("1, 2", None, "1", False),
        ("4, apples", None, "4, Apples", True),  # one text, since not all of it are numbers
        ("4, apples", None, "4", False),
        ("4.13", None, "4.13XX", False),
        ("4.13", [{"kind": "number"}], "4.13XX", False),
        ("4.13", [{"kind": "number"}], "4.13 us", False),
        ("1034", None, "10,34", False),
        ("1034", None, "1,034.", True),
        ("1034", [{"kind": "number", "unit": "us"}], "1,034 µs", True),
        ("T cell", [TEXT], "-t-cell ", True),
        ("T cell", [TEXT], "Helper-Cell", True),
        ("T cell", [TEXT], "B cell", False),
        ("T cell", [TEXT], "about T cell", True),
        ("", [TEXT], "-", False),
        ("T cell, 5", [TEXT, {"kind": "number", "unit": "%"}], "t cell; 5%", True),
        ("T cell, 5", [TEXT, {"kind": "number"}], "t cell", False),
        ("yes", None, "yes" + " " * 9_997 + "no", True),  # 10,000 characters are read
        ("yes", None, "yes" + " " * 9_996 + "no", False),
    ],
)
def test_answers_part_by_part(gold: str, response: Any, answer: str, same: bool) -> None:
    assert exact_match(gold, answer, response) is same


# ------------------------------------------------------------ steps


def test_shares_of_steps_where_a_side_has_none() -> None:
    assert (StepAccuracy(0, 2, 0).paper, StepAccuracy(0, 2, 0).recall) == (0.0, 0.0)
    assert (StepAccuracy(0, 0, 2).paper, StepAccuracy(0, 0, 2).objective) == (0.0, 0.0)


def test_a_gold_step_is_used_once() -> None:
    find = {"kind": "find", "doc_id": "d1"}
    given = {"kind": "find", "source": "d1"}
    assert step_accuracy([find], [given, given, "find d1"]) == StepAccuracy(1, 2, 1)
    assert step_accuracy([find, find], [given, given]) == StepAccuracy(2, 2, 2)


@pytest.mark.parametrize(
    ("unit", "answer", "same"),
    [
        ("mL", "5 mL", True),
        ("mL", "5 ml", True),
        ("mL", "5", True),
        ("mL", "5 uL", False),
        ("mL", "5 hr", False),  # the name of another unit
        ("ml", "5 mL", True),
        ("h", "5 hr", True),
        ("xg", "5 x g", True),
        ("degC", "5 °C", True),
        ("M", "5 mmol/L", False),
        ("s", "5 ms", False),
        ("s", "5 sec", True),
        ("cases", "5 cases", True),
    ],
)
def test_an_answer_may_name_its_unit(unit: str, answer: str, same: bool) -> None:
    assert exact_match("5", answer, [{"kind": "number", "unit": unit}]) is same


READ = {"kind": "read", "doc_id": "d1", "value": "4.1"}
COMPUTE = {"kind": "compute", "value": "1000", "unit": "us"}


@pytest.mark.parametrize(
    ("gold", "step", "same"),
    [
        ({"kind": "find", "doc_id": "d1"}, {"kind": "find", "source": "d1"}, True),
        ({"kind": "find", "doc_id": "d1"}, {"kind": "find", "source": "d2"}, False),
        (READ, {"kind": "read", "source": "d1", "value": "4.13"}, True),  # rounds to the gold
        ({**READ, "value": "4.13"}, {"kind": "read", "source": "d1", "value": "4.1"}, False),
        (READ, {"kind": "read", "source": "d2", "value": "4.1"}, False),
        (READ, {"kind": "convert", "source": "d1", "value": "4.1"}, False),
        ({**READ, "value": "Red"}, {"kind": "read", "source": "d1", "value": "red"}, True),
        ({**READ, "value": "XX"}, {"kind": "read", "source": "d1"}, False),
        ({"kind": "read", "doc_id": "d1"}, {"kind": "read", "source": "d1", "value": "XX"}, False),
        (COMPUTE, {"kind": "compute", "value": "1.0005", "unit": "ms"}, True),
        (COMPUTE, {"kind": "compute", "value": "1001.0005", "unit": "us"}, False),  # 0.001 of the gold is 1
        (COMPUTE, {"kind": "compute", "value": "1500", "unit": "us"}, False),
        (COMPUTE, {"kind": "compute", "value": "1000"}, False),
        ({"kind": "compute", "value": "two peaks"}, {"kind": "compute", "value": "Two Peaks"}, True),
        ({"kind": "compute", "value": "two peaks"}, {"kind": "compute", "value": "2"}, False),
    ],
)
def test_steps_by_kind_source_and_value(gold: Any, step: Any, same: bool) -> None:
    assert step_accuracy([gold], [step]).matched == int(same)


# ------------------------------------------------------------ readings


def reading(value: Any, unit: str | None = None, **other: Any) -> dict[str, Any]:
    return {"panel": "a", "quantity": "peak", "value": value, "unit": unit, **other}


@pytest.mark.parametrize(
    ("want", "got", "same"),
    [
        (reading("5.0", "ms", tol="0.1"), reading("5.1", "ms"), True),
        (reading("5.0", "ms", tol="0.1"), reading("5.11", "ms"), False),
        (reading("5.0", "ms", tol="0.1"), reading("0.0051", "s"), True),
        (reading("5.0", "ms", tol="0.1"), reading("5.0"), False),
        (reading("25", "degC", tol="1"), reading("299.15", "K"), True),
        (reading("5", "counts", tol="0.1"), reading("5.1", "counts"), True),
        (reading("5", "counts", tol="0.1"), reading("5.11", "counts"), False),
        (reading("5", "counts", tol="0.1"), reading("5", "clicks"), False),
        (reading("5"), reading("5.0"), True),
        (reading("5"), reading("5.5"), False),  # without a tolerance to the letter of the number
        (reading("5"), reading("5", "XX"), False),
        (reading("5", "XX"), reading("5"), False),
        (reading("5", tol="0.1"), reading(4.9), True),
        (reading("1", tol="1"), reading("2." + "0" * 33 + "1"), False),  # exactly
        (reading("red"), reading("Red"), True),
        (reading("red"), reading("5"), False),
        (reading("5", panel=""), {"quantity": "peak", "value": "5"}, True),
        (reading("5"), {"quantity": "peak", "value": "5"}, False),
        (reading("5", panel="XX"), {"quantity": "peak", "value": "5"}, False),
    ],
)
def test_readings_within_their_tolerance(want: Any, got: Any, same: bool) -> None:
    assert matched_readings([want], [got]) == (int(same), 1)


def test_of_repeated_readings_the_first_counts() -> None:
    assert matched_readings([reading("5")], [reading("6"), reading("5"), "5"]) == (0, 2)


def test_validity_at_its_edges() -> None:
    assert reasoning_validity(0, 0, 3, consistent=True) == 0.0
    assert reasoning_validity(1, 1, 2, consistent=False) == pytest.approx(7)
    assert reasoning_validity(1, 1, 4, consistent=True) == pytest.approx(5)
    assert reasoning_validity(0, 2, 0, consistent=True) == pytest.approx(3)
