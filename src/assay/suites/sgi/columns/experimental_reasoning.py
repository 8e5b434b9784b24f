"""Experimental reasoning: whether the right option was chosen, and how valid the readings behind it are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from assay.suites.sgi.columns.profiles import Item, Profile, Value
from assay.suites.sgi.metrics.reasoning import (
    letter,
    matched_readings,
    reasoning_validity,
)
from assay.suites.sgi.reasoning.consistency import formula_of
from assay.suites.sgi.text.contracts import choice, json_object, released_choice

Formula = Callable[[list[Any]], str | None]
"""The letter of the option that the item's formula selects from readings."""


def score(item: Item, reply: str, profile: Profile, formula: Formula | None = None) -> Iterable[Value]:
    """`headline` (MCA), `rv` (0 to 1), `chance`.

    Our RV needs readings in the item and a formula for them; that of the others a judge. Else it is null.
    """
    gold = letter(item["answer"])
    options = len(item["options"])
    yield Value("chance", 1 / options)
    if profile != "objective":
        found = released_choice(reply) if profile == "released" else choice(reply).letter
        yield Value("headline", float(found is not None and found == gold))
        yield Value("rv", None, "needs a judge")
        return
    chosen = choice(reply).letter
    beyond = chosen is not None and ord(chosen) - ord("A") >= options
    yield Value("headline", float(chosen == gold), "beyond the options" if beyond else "")
    if "x_readings" not in item:
        yield Value("rv", None, "no readings in the reference")
        return
    block = json_object(reply, ("readings",)) or {}
    readings = block.get("readings")
    readings = readings if isinstance(readings, list) else []
    right, given = matched_readings(item["x_readings"], readings)
    formula = formula or formula_of(item)
    consistent = formula is not None and chosen is not None and formula(readings) == chosen
    yield Value("rv", reasoning_validity(right, len(item["x_readings"]), given, consistent) / 10)
