"""Searches for numbers in what an agent wrote.

Texts are searched with regular expressions and not parsed, since parsers can be made to crash.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

LARGEST = 1 << 20

_NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?(?![\w.])", re.ASCII
)
_BETWEEN = re.compile(r"[\s,;]*\Z")


def telling(values: Iterable[float]) -> list[float]:
    """Return the values with three or more significant digits, which are unlikely to occur by chance."""
    return [v for v in values if len(repr(v).partition("e")[0].replace(".", "").strip("0-")) >= 3]


def quotes(text: str, value: float) -> bool:
    """Return whether a text contains this number, in any notation."""
    return any(float(m[0]) == value for m in _NUMBER.finditer(text[:LARGEST]))


def holds_multiple(data: bytes, values: Sequence[float]) -> bool:
    """Return whether a script lists K consecutive numbers that are the values times one factor, within 1e-6.

    Only separators may stand between the numbers of a list.
    """
    text = data[:LARGEST].decode("utf-8", errors="replace")
    run: list[float] = []
    end = 0
    for match in _NUMBER.finditer(text):
        if run and not _BETWEEN.match(text[end : match.start()]):
            run = []
        run = [*run[-(len(values) - 1) :], float(match[0])] if len(values) > 1 else [float(match[0])]
        end = match.end()
        if len(run) == len(values) and _proportional(run, values):
            return True
    return False


def _proportional(first: Sequence[float], second: Sequence[float]) -> bool:
    at = max(range(len(second)), key=lambda k: second[k])
    if second[at] <= 0 or first[at] <= 0:
        return False
    factor = first[at] / second[at]
    return all(abs(a - factor * b) <= 1e-6 * factor * second[at] for a, b in zip(first, second, strict=True))
