"""Formats numbers and texts for pages: numbers with few digits, missing values as a dash, long texts cut."""

from __future__ import annotations

import json
import math
from typing import Any

from assay.numbers.stats import wilson
from assay.report import drawing

NOTHING = "–"
"""Stands for a missing value."""

KINDS = {
    "solver": "a reference algorithm",
    "privileged": "a reference algorithm that was told the truth; its score is a ceiling and not ranked",
    "model": "a language model or somebody’s program, recorded and replayed",
    "scripted": "a script with known conduct that tests the audit or a metric, or that takes a model’s place",
    "quoted": "quoted from the paper; other tasks and other runs",
}
"""Describes each kind of row of the leaderboard."""

KIND_NAMES = {"privileged": "ceiling"}
"""Kinds whose name on pages differs from their name in tables."""


def number(value: float | int | None, digits: int = 3) -> str:
    """Format a number with about `digits` significant digits. Whole numbers are written in full.

    >>> number(0.123456), number(12.3456), number(7), number(None)
    ('0.123', '12.3', '7', '–')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return NOTHING
    if isinstance(value, int) or (value == math.floor(value) and abs(value) < 1e15):
        return f"{int(value):,}".replace(",", "\u202f")
    if abs(value) >= 10**digits:
        return f"{value:,.0f}".replace(",", "\u202f")
    if abs(value) < 1e-4:
        return f"{value:.1e}"
    before = max(0, math.floor(math.log10(abs(value))) + 1)
    text = f"{value:.{max(digits - before, 0) if abs(value) >= 1 else digits}f}"
    return "0" if float(text) == 0 else text


def fixed(value: float | None, digits: int) -> str:
    """Format a number with `digits` decimals, so that the decimal points of a column align."""
    if value is None or math.isnan(value):
        return NOTHING
    return f"{value + 0.0:,.{digits}f}".replace(",", "\u202f")


def in_words(amount: int) -> str:
    """Write a whole number from 0 to 10 as a word, and a larger one in digits."""
    small = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return small[amount] if amount < len(small) else number(amount)


def percent(value: float | None) -> str:
    """Format a share in [0, 1] as a percentage."""
    if value is None or math.isnan(value):
        return NOTHING
    return (
        f"{100 * value:.0f}\u202f%" if value in (0, 1) or 0.1 <= value <= 0.9 else f"{100 * value:.1f}\u202f%"
    )


def share(part: int, whole: int) -> str:
    """Format a count of successes with Wilson's 95 % interval, as in `20 of 20 (84 to 100 %)`."""
    low, high = wilson(part, whole)
    if low is None or high is None:
        return NOTHING
    return f"{number(part)} of {number(whole)} ({_points(low)} to {_points(high)}\u202f%)"


def _points(value: float) -> str:
    """Format a share in percent. One decimal below 1 and above 99 keeps it from rounding to 0 or 100."""
    whole = round(value, 9) in (0, 1) or 0.01 <= value <= 0.99
    return f"{100 * value:.{0 if whole else 1}f}"


def count(amount: int, singular: str, plural: str = "") -> str:
    """Format an amount with its noun.

    >>> count(1, "episode"), count(2, "episode"), count(2, "entry", "entries")
    ('1 episode', '2 episodes', '2 entries')
    """
    return f"{number(amount)} {singular if amount == 1 else plural or f'{singular}s'}"


def p_value(value: float | None) -> str:
    """Format a p value with three decimals, or as `< 0.001`."""
    if value is None or math.isnan(value):
        return NOTHING
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def cut(text: str, length: int) -> tuple[str, str]:
    """Cut a text to `length` characters. Return it with a note that it was cut, which is empty if it was not.

    >>> cut("abcdef", 4)
    ('abcd', 'cut: 4 of 6 characters')
    """
    if len(text) <= length:
        return text, ""
    return text[:length], f"cut: {drawing.number(length)} of {drawing.number(len(text))} characters"


def as_text(value: Any) -> str:
    """Write a JSON value on one line. A string is returned unchanged."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
