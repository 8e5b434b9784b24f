"""The options of an item: the right one, named ways of being wrong, and values on a grid.

How many options are smaller than the right one is drawn first, so that its rank among them says nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.rng import Stream
from assay.suites.sgi.reasoning import formulas
from assay.suites.sgi.reasoning.measures import Measured
from assay.suites.sgi.reasoning.reading import answer, named
from assay.suites.sgi.reasoning.templates.template import Fields, Template

RIGHT, GRID = "right", "grid value"

LEAST = 10
RESOLUTIONS = 3
"""Between any two numbers, in resolutions of the answer."""


@dataclass(frozen=True)
class Option:
    """An option as it is shown, and how it came about."""

    text: str
    label: str


def options_of(
    template: Template,
    fields: Fields,
    read: Sequence[Measured],
    instead: Sequence[Measured],
    stream: Stream,
    count: int,
) -> list[Option]:
    """The options in their order, `count` of them; fewer where there is no room for more.

    `ValueError` where the formula makes nothing of the readings.
    """
    values = [one.value for one in read]
    if template.causes:
        found = _causes(template, str(answer(template, fields, values)), stream, count)
    else:
        found = _numbers(template, fields, read, instead, stream, count)
    stream.shuffle(found)
    return found


def _causes(template: Template, right: str, stream: Stream, count: int) -> list[Option]:
    pattern = {cause: what.split("/") for what, cause in template.causes.items()}
    mirror = {"rises": "falls", "falls": "rises", "stays": "stays"}

    def label(cause: str) -> str:
        if cause == right:
            return RIGHT
        pairs = list(zip(pattern[cause], pattern[right], strict=True))
        if all(a == mirror[b] for a, b in pairs):
            return "before and after swapped"
        return "one attribute misread" if sum(a != b for a, b in pairs) == 1 else "another cause"

    order = {"before and after swapped": 1, "one attribute misread": 2, "another cause": 3, RIGHT: 0}
    found = [Option(cause, label(cause)) for cause in template.causes.values()]
    stream.shuffle(found)
    return sorted(found, key=lambda option: order[option.label])[:count]


def resolution(template: Template, fields: Fields, read: Sequence[Measured]) -> float:
    """How finely the answer can be known: the sum over readings of what their tolerance moves it by."""
    values = [one.value for one in read]
    middle = float(answer(template, fields, values))
    total = 0.0
    for k, one in enumerate(read):
        moved = [[*values[:k], one.value + sign * one.tol, *values[k + 1 :]] for sign in (-1, 1)]
        total += max(abs(float(answer(template, fields, m)) - middle) for m in moved)
    return total


def _numbers(
    template: Template,
    fields: Fields,
    read: Sequence[Measured],
    instead: Sequence[Measured],
    stream: Stream,
    count: int,
) -> list[Option]:
    values = [one.value for one in read]
    right = float(answer(template, fields, values))
    gap = 1.0 if template.whole else RESOLUTIONS * resolution(template, fields, read)
    digits = 0 if template.whole else max(0, 2 - math.floor(math.log10(gap)))
    slack = 1.02 * gap + 10.0**-digits * (not template.whole)
    taken = [round(right, digits)]
    below = stream.below(count)
    room = {False: below, True: count - 1 - below}  # of options below and above the right one
    found = [Option(_text(taken[0], digits, template.unit), RIGHT)]
    candidates = list(_errors(template, fields, read, instead))
    stream.shuffle(candidates)
    step = max(1.1 * slack, abs(right) * (0.06 + 0.1 * stream.uniform()))
    step = float(max(round(step), 1)) if template.whole else step
    lower = step if template.signed or template.whole else max(1.1 * slack, min(step, right / (below + 1)))
    fill = [(right + k * way, GRID) for k in range(1, 6 * count) for way in (step, -lower)]
    for named_ones, source in ((True, candidates), (False, fill)):
        for value, label in source:
            shown = round(value, digits)
            above = shown > taken[0]
            enough = named_ones and len(found) > count - 3
            if room[above] <= 0 or enough or not _fits(shown, taken, slack, template):
                continue
            if abs(value) > 30 * max(abs(right), gap):
                continue
            taken.append(shown)
            room[above] -= 1
            found.append(Option(_text(shown, digits, template.unit), label))
    for value, label in fill:  # where there is no room below, as near zero, it is above
        shown = round(value, digits)
        if len(found) < count and _fits(shown, taken, slack, template):
            taken.append(shown)
            found.append(Option(_text(shown, digits, template.unit), label))
    return found


def _fits(shown: float, taken: Sequence[float], slack: float, template: Template) -> bool:
    if not template.signed and shown <= 0:
        return False
    return all(abs(shown - other) >= slack - 1e-9 for other in taken)


def _errors(
    template: Template, fields: Fields, read: Sequence[Measured], instead: Sequence[Measured]
) -> Iterator[tuple[float, str]]:
    """The answers of the template's error models, and of readings that are off by one labelled tick."""
    values = [one.value for one in read]
    names = named(values, fields, [one.value for one in instead])
    for label, formula in template.errors.items():
        try:
            yield float(formulas.value(formula, names)), label
        except ValueError:  # an error that is impossible here
            continue
    for k, one in enumerate(read):
        for sign in (-1, 1):
            if one.tick:
                moved = [*values[:k], one.value + sign * one.tick, *values[k + 1 :]]
                try:
                    yield float(answer(template, fields, moved)), "off by one tick"
                except ValueError:
                    continue


def _text(value: float, digits: int, unit: str) -> str:
    return f"{value + 0.0:.{digits}f} {unit}".strip()
