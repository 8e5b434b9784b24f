"""Whether an answer follows from the readings that a reply itself reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from assay.suites.sgi.metrics.reasoning import letter
from assay.suites.sgi.reasoning.bank import BY_NAME
from assay.suites.sgi.reasoning.reading import answer, nearest, reported


def formula_of(item: Mapping[str, Any]) -> Callable[[list[Any]], str | None] | None:
    """From readings to the letter of the option that the item's formula selects; null without a formula.

    The letter is null where a reading is missing, the formula makes nothing of them, or no option is near.
    """
    if item.get("x_template") not in BY_NAME:
        return None
    template = BY_NAME[item["x_template"]]

    def selected(given: list[Any]) -> str | None:
        values = reported(item["x_readings"], given)
        if values is None:
            return None
        try:
            found = nearest(item["options"], answer(template, item["x_fields"], values))
        except ValueError:
            return None
        return None if found is None else letter(found)

    return selected
