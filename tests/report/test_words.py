"""Numbers as the pages print them."""

from __future__ import annotations

import pytest

from assay.report import words


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "–"),
        (float("nan"), "–"),
        (0, "0"),
        (-0.0, "0"),
        (94.0, "94"),
        (0.9620001, "0.962"),
        (12.345, "12.3"),
        (1234.5, "1\u202f234"),
        (1_316_000, "1\u202f316\u202f000"),
        (0.00001234, "1.2e-05"),
        (-3.14159, "-3.14"),
    ],
)
def test_numbers_keep_three_digits_and_no_more(value: float | None, said: str) -> None:
    assert words.number(value) == said


def test_numbers_below_each_other_have_one_number_of_decimals() -> None:
    assert [words.fixed(value, 1) for value in (94.0, 5.25, -0.01, None)] == ["94.0", "5.2", "-0.0", "–"]
    assert words.fixed(-0.0, 1) == "0.0"


@pytest.mark.parametrize(
    ("part", "whole", "said"),
    [
        (20, 20, "20 of 20 (84 to 100\u202f%)"),
        (0, 12, "0 of 12 (0 to 24\u202f%)"),
        (1996, 1996, "1\u202f996 of 1\u202f996 (99.8 to 100\u202f%)"),
        (0, 0, "–"),
    ],
)
def test_shares_have_their_number_of_cases_and_their_interval(part: int, whole: int, said: str) -> None:
    assert words.share(part, whole) == said


def test_shares_are_never_rounded_to_none_or_all() -> None:
    assert [words.percent(v) for v in (0.0, 1.0, 0.999, 0.001, 0.5, None)] == [
        "0\u202f%",
        "100\u202f%",
        "99.9\u202f%",
        "0.1\u202f%",
        "50\u202f%",
        "–",
    ]


def test_p_values_and_counts() -> None:
    assert [words.p_value(v) for v in (0.0, 0.0009, 0.0412, 1.0, None)] == [
        "< 0.001",
        "< 0.001",
        "0.041",
        "1.000",
        "–",
    ]
    assert [words.count(n, "agent") for n in (0, 1, 2)] == ["0 agents", "1 agent", "2 agents"]
    assert [words.in_words(n) for n in (1, 5, 12)] == ["one", "five", "12"]
