"""Numbers as a reader wants them: few digits, no false precision, nothing where there is nothing."""

from __future__ import annotations

import json
import math
from typing import Any

from assay.numbers.stats import wilson
from assay.report import drawing

NOTHING = "–"


def number(value: float | int | None, digits: int = 3) -> str:
    """A number to about so many significant digits; whole ones in full, thousands apart."""
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
    """A number with so many decimals, to stand below others."""
    if value is None or math.isnan(value):
        return NOTHING
    return f"{value + 0.0:,.{digits}f}".replace(",", "\u202f")


def in_words(amount: int) -> str:
    """A small whole number as a word."""
    small = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return small[amount] if amount < len(small) else number(amount)


def percent(value: float | None) -> str:
    """A share as a percentage."""
    if value is None or math.isnan(value):
        return NOTHING
    return (
        f"{100 * value:.0f}\u202f%" if value in (0, 1) or 0.1 <= value <= 0.9 else f"{100 * value:.1f}\u202f%"
    )


def share(part: int, whole: int) -> str:
    """How many of how many, with Wilson's 95 % interval: `20 of 20 (84 to 100 %)`."""
    low, high = wilson(part, whole)
    if low is None or high is None:
        return NOTHING
    return f"{number(part)} of {number(whole)} ({_points(low)} to {_points(high)}\u202f%)"


def _points(value: float) -> str:
    """A share in percentage points, never rounded to none or all."""
    whole = round(value, 9) in (0, 1) or 0.01 <= value <= 0.99
    return f"{100 * value:.{0 if whole else 1}f}"


def count(amount: int, one: str, many: str = "") -> str:
    """So many of something, in words: `1 episode`, `2 episodes`."""
    return f"{number(amount)} {one if amount == 1 else many or f'{one}s'}"


def p_value(value: float | None) -> str:
    """A p value, as papers print it."""
    if value is None or math.isnan(value):
        return NOTHING
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def cut(text: str, length: int) -> tuple[str, str]:
    """The first `length` characters of a text, and a note that says so; the note is empty for a whole text.

    >>> cut("abcdef", 4)
    ('abcd', 'cut: 4 of 6 characters')
    """
    if len(text) <= length:
        return text, ""
    return text[:length], f"cut: {drawing.number(length)} of {drawing.number(len(text))} characters"


def as_text(value: Any) -> str:
    """A JSON value on one line; a text as it is."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
