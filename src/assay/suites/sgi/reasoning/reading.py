"""From a scene to an answer: the readings that a template asks for, and what its formula makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from assay.suites.sgi.reasoning import formulas
from assay.suites.sgi.reasoning.measures import Measured, Scene, measured
from assay.suites.sgi.reasoning.templates.template import Fields, Template, filled
from assay.suites.sgi.text.quantities import decimal, folded

Answer = float | str


def readings(template: Template, fields: Fields, scene: Scene) -> list[Measured]:
    """What the template's measures read off a scene, in order; `Unreadable` where one cannot."""
    return [measured(scene, filled(asked.how, fields)) for asked in template.readings]


def mistaken(template: Template, fields: Fields, scene: Scene) -> list[Measured]:
    """What a wrong reader takes instead."""
    return [measured(scene, filled(how, fields)) for how in template.instead]


def named(values: Sequence[float], fields: Fields, instead: Sequence[float] = ()) -> dict[str, Any]:
    """The names of a formula: readings `r0`, ..., what is read instead `e0`, ..., and the fields."""
    return {
        **{name: value for name, value in fields.items() if not isinstance(value, str)},
        **{f"r{k}": value for k, value in enumerate(values)},
        **{f"e{k}": value for k, value in enumerate(instead)},
    }


def answer(template: Template, fields: Fields, values: Sequence[float]) -> Answer:
    """What the formula makes of readings: a number, or a cause; `ValueError` where it makes nothing."""
    found = formulas.value(template.formula, named(values, fields))
    if template.causes:
        if found not in template.causes:
            raise ValueError(f"no known cause has the effects {found}")
        return template.causes[found]
    return float(found)


def number(option: str) -> float | None:
    """The number that an option begins with; null where it begins with none."""
    value = decimal(folded(option.split(" ")[0]))
    return None if value is None else float(value)


def nearest(options: Sequence[str], found: Answer) -> int | None:
    """The option that an answer selects, counted from 0; null where it selects none.

    A number selects the nearest option if that is nearer than half the smallest gap between options, words
    select their like.
    """
    if isinstance(found, str):
        return next((k for k, o in enumerate(options) if o.casefold() == found.casefold()), None)
    values = [number(option) for option in options]
    numbers = [value for value in values if value is not None]
    if len(numbers) < len(values):
        return None
    ordered = sorted(numbers)
    gap = min(b - a for a, b in pairwise(ordered))
    best = min(range(len(numbers)), key=lambda k: (abs(numbers[k] - found), k))
    return best if abs(numbers[best] - found) < gap / 2 else None


def likeliest(options: Sequence[str], found: Answer) -> int | None:
    """The option nearest to an answer, however far it is; null where words are no option."""
    if isinstance(found, str):
        return nearest(options, found)
    values = [number(option) for option in options]
    return min(
        (k for k, value in enumerate(values) if value is not None),
        key=lambda k: (abs((values[k] or 0.0) - found), k),
        default=None,
    )


def reported(asked: Sequence[Mapping[str, Any]], given: Sequence[Any]) -> list[float] | None:
    """The values of a reply's own readings in the order asked for; null where one is missing.

    Panel and quantity are compared casefolded; of a repeated reading the first counts.
    """
    found: dict[tuple[str, str], float] = {}
    for reading in given:
        if not isinstance(reading, dict):
            continue
        value = decimal(folded(str(reading.get("value", ""))).strip())
        if value is not None:
            found.setdefault(_key(reading), float(value))
    values = [found.get(_key(want)) for want in asked]
    return None if None in values else [value for value in values if value is not None]


def _key(reading: Mapping[str, Any]) -> tuple[str, str]:
    panel, quantity = (str(reading.get(key, "")).strip().casefold() for key in ("panel", "quantity"))
    return panel, quantity
