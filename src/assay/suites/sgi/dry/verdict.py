"""Whether what a program printed is what the reference printed."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

RELATIVE, ABSOLUTE = 1e-6, 1e-9
"""Tolerances of a float that declares no other."""

LONGEST = 1 << 20

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,4})?|\b(?:nan|inf)\b")


def last_line(text: str) -> str:
    """The last line that is not blank."""
    return next((line.strip() for line in reversed(text[-LONGEST:].splitlines()) if line.strip()), "")


def same_output(expected: str, printed: str, compare: Mapping[str, Any]) -> bool:
    """Whether the last line is the JSON object that is expected, value for value within tolerance."""
    try:
        want, got = json.loads(expected), json.loads(last_line(printed))
    except (ValueError, RecursionError):
        return False
    if not isinstance(got, dict) or got.keys() != want.keys():
        return False
    return all(same_value(value, got[key], compare.get(key, {})) for key, value in want.items())


def same_value(want: Any, got: Any, how: Mapping[str, Any]) -> bool:
    """Whether a value is the one expected: arrays of one shape, NaN for NaN, whole floats for integers."""
    if isinstance(want, list) or isinstance(got, list):
        same_shape = isinstance(want, list) and isinstance(got, list) and len(want) == len(got)
        return bool(same_shape and all(same_value(a, b, how) for a, b in zip(want, got, strict=True)))
    if isinstance(want, str) or want is None or isinstance(want, bool):
        return type(want) is type(got) and bool(want == got)
    if not isinstance(got, int | float) or isinstance(got, bool):
        return False
    try:
        a, b = float(want), float(got)
    except OverflowError:
        return bool(want == got)
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    if isinstance(want, int):
        return a == b
    if math.isinf(a) or math.isinf(b):
        return a == b
    return bool(abs(a - b) <= how.get("atol", ABSOLUTE) + how.get("rtol", RELATIVE) * abs(a))


def same_text(expected: str, printed: str) -> bool:
    """For items without declared comparison: the same text, or the same but for numbers that are close.

    Within 1e-6, or 2 % in lines that speak of a loss or an accuracy.
    """
    if expected.strip() == printed.strip():
        return True
    wanted, given = expected.strip()[:LONGEST].splitlines(), printed.strip()[:LONGEST].splitlines()
    return len(wanted) == len(given) and all(map(_same_line, wanted, given))


def _same_line(wanted: str, given: str) -> bool:
    if NUMBER.split(wanted) != NUMBER.split(given):
        return False
    learned = re.search("loss|accuracy", wanted, re.I)
    relative = 0.02 if learned else 1e-6
    pairs = zip(NUMBER.findall(wanted), NUMBER.findall(given), strict=True)
    return all(a == b or abs(float(a) - float(b)) <= relative * abs(float(a)) for a, b in pairs)
