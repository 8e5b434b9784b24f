"""Experimental reasoning: multiple-choice accuracy (MCA), and the validity of the readings behind it (RV)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from assay.suites.sgi.text.quantities import Quantity, decimal, folded, unit_of


def letter(index: int) -> str:
    """The letter of an option, counted from 0."""
    return chr(ord("A") + index)


def matched_readings(gold: Sequence[Mapping[str, Any]], readings: Sequence[Any]) -> tuple[int, int]:
    """How many gold readings are right, and how many were given; of repeated ones the first counts."""
    records = [reading for reading in readings if isinstance(reading, dict)]
    given: dict[tuple[str, str], Mapping[str, Any]] = {}
    for reading in records:
        given.setdefault(reading_key(reading), reading)
    right = 0
    for want in gold:
        got = given.get(reading_key(want))
        right += got is not None and _same_reading(want, got)
    return right, len(records)


def reading_key(reading: Mapping[str, Any]) -> tuple[str, str]:
    """Panel and quantity of a reading, as they are compared."""
    panel, quantity = (str(reading.get(key, "")).strip().casefold() for key in ("panel", "quantity"))
    return panel, quantity


def _same_reading(want: Mapping[str, Any], got: Mapping[str, Any]) -> bool:
    a, b = (decimal(folded(str(r.get("value", ""))).strip()) for r in (want, got))
    if a is None or b is None:
        return str(want.get("value")).casefold() == str(got.get("value")).casefold()
    ours = Quantity(a, unit_of(str(want.get("unit") or ""))).base()
    theirs = Quantity(b, unit_of(str(got.get("unit") or ""))).base()
    tolerance = decimal(str(want.get("tol", 0))) or Decimal(0)
    if ours is None or theirs is None or ours[0] != theirs[0]:
        same_unit = str(want.get("unit") or "") == str(got.get("unit") or "")
        return same_unit and abs(a - b) <= tolerance
    scale = Quantity(a + tolerance, unit_of(str(want.get("unit") or ""))).base()
    return scale is not None and abs(theirs[1] - ours[1]) <= abs(scale[1] - ours[1])


def reasoning_validity(right: int, gold: int, given: int, consistent: bool) -> float:
    """10 x (0.7 share of readings right + 0.3 consistency), less where over twice as many were given."""
    if gold == 0:
        return 0.0
    return 10.0 * (0.7 * right / gold + 0.3 * consistent) * min(1.0, 2 * gold / max(given, 1))
