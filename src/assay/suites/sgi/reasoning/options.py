"""The options of an item: the right one, named ways of being wrong, and values to fill up.

Nothing but the figure should tell the right one. So its place and how many options are below it are drawn
before the scene, and a scene without room for that is not taken; what fills up lies about any option as the
others lie about the right one, near it or by way of one of the errors.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.numbers.rng import Stream
from assay.suites.sgi.reasoning import formulas
from assay.suites.sgi.reasoning.measures import Measured
from assay.suites.sgi.reasoning.reading import answer, named
from assay.suites.sgi.reasoning.templates.template import Fields, Template

RIGHT, FILLING = "right", "filling"

TICK = "off by one tick"

COUNT = 10
"""Options of an item."""

ERRORS = 5
"""Of these at most so many that a named error leads to."""

RESOLUTIONS = 3
"""Between any two numbers, in resolutions of the answer."""

FAR = 10
"""No option is so many times as large as the right one."""

DRAWS = 400
"""Values tried to fill up before a scene is given up."""


@dataclass(frozen=True)
class Option:
    """An option as it is shown, and how it came about."""

    text: str
    label: str


@dataclass(frozen=True)
class Error:
    """What a mistake leads to; `telling` where it follows from the right number alone, as its double does."""

    value: float
    label: str
    telling: bool = False


@dataclass(frozen=True)
class Standing:
    """Where the right option stands: its place among the options, and how many numbers are below it."""

    place: int
    below: int


def options_of(
    template: Template,
    fields: Fields,
    read: Sequence[Measured],
    instead: Sequence[Measured],
    stream: Stream,
    standing: Standing,
) -> list[Option]:
    """The options in their order; `ValueError` where the scene has no room for them.

    Or where the formula makes nothing of the readings.
    """
    values = [one.value for one in read]
    if template.causes:
        right, *wrong = _causes(template, str(answer(template, fields, values)), stream)
    else:
        right, *wrong = _numbers(template, fields, read, instead, stream, standing.below)
    stream.shuffle(wrong)
    return [*wrong[: standing.place], right, *wrong[standing.place :]]


def _causes(template: Template, right: str, stream: Stream) -> list[Option]:
    """The right cause first, then any of the others, each as likely."""
    pattern = {cause: what.split("/") for what, cause in template.causes.items()}
    mirror = {"rises": "falls", "falls": "rises", "stays": "stays"}

    def label(cause: str) -> str:
        pairs = list(zip(pattern[cause], pattern[right], strict=True))
        if all(a == mirror[b] for a, b in pairs):
            return "before and after swapped"
        return "one attribute misread" if sum(a != b for a, b in pairs) == 1 else "another cause"

    others = [cause for cause in template.causes.values() if cause != right]
    return [
        Option(right, RIGHT),
        *(Option(cause, label(cause)) for cause in stream.sample(others, COUNT - 1)),
    ]


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
    below: int,
) -> list[Option]:
    """The right number first, then `below` smaller and the rest larger ones."""
    right = float(answer(template, fields, [one.value for one in read]))
    gap = 1.0 if template.whole else RESOLUTIONS * resolution(template, fields, read)
    digits = 0 if template.whole else max(0, math.ceil(math.log10(6 / gap)))
    slack = 1.0 if template.whole else 1.02 * gap + 10.0**-digits
    spare = min((right - template.above) / (below + 1), (template.upto - right) / (COUNT - below)) / slack - 1
    if spare < 0.1:
        raise ValueError("there is no room for so many other numbers")
    found = [Option(_text(round(right, digits), digits, template.unit), RIGHT)]
    taken = [round(right, digits)]
    room = {False: below, True: COUNT - 1 - below}  # by whether an option is above the right one

    def add(value: float, label: str) -> None:
        shown = round(value, digits)
        above = shown > taken[0]
        if not template.above < shown <= template.upto or abs(value) > FAR * max(abs(right), gap):
            return
        if room[above] and all(abs(shown - other) >= slack - 1e-9 for other in taken):
            taken.append(shown)
            room[above] -= 1
            found.append(Option(_text(shown, digits, template.unit), label))

    values = [one.value for one in read]
    errors = list(_errors(template, fields, values, read, instead))
    stream.shuffle(errors)
    for error in errors:
        # One of a kind: the right one would lie in the middle between one tick more and one tick less.
        if not error.telling and len(found) <= ERRORS and error.label not in {o.label for o in found}:
            add(error.value, error.label)
    for error in errors:
        if error.telling and (len(found) < 3 or stream.below(3) == 0):
            add(error.value, error.label)
            if len(found) >= 3:
                break
    if len({option.label for option in found}) < 3:
        raise ValueError("fewer than two kinds of error have room")
    near = max(1.02 * slack, min(abs(right) * (0.06 + 0.1 * stream.uniform()), slack * (1 + spare)))
    if stream.below(2):  # what fills up has a neighbour, so the right one should have one as often
        add(right + (1 - 2 * stream.below(2)) * near * (1 + min(spare, 1.0) * stream.uniform()), FILLING)
    elsewhere: dict[float, list[Error]] = {}  # what the same errors lead to where another option is right
    for _ in range(DRAWS):
        if not any(room.values()):
            return found
        anchor, sign = stream.choice(taken), 1 - 2 * stream.below(2)
        if stream.below(2):
            if anchor not in elsewhere:
                elsewhere[anchor] = _errors_at(template, fields, read, instead, anchor)
            if elsewhere[anchor]:
                add(stream.choice(elsewhere[anchor]).value, FILLING)
        else:
            add(anchor + sign * near * (1 + min(spare, 1.0) * stream.uniform()), FILLING)
    raise ValueError("there is no room for ten options")


STEP = 1e-4
"""The share of a reading by which it is moved to see what follows."""


def _readings_of(template: Template, fields: Fields, values: Sequence[float], wanted: float) -> list[float]:
    """Readings with (nearly) another answer: the first one moved, by Newton's method."""
    moved = list(values)
    for _ in range(6):
        now, step = float(answer(template, fields, moved)), STEP * (abs(moved[0]) or 1.0)
        slope = (float(answer(template, fields, [moved[0] + step, *moved[1:]])) - now) / step
        if not slope:
            break
        moved[0] += (wanted - now) / slope
    return moved


def _errors_at(
    template: Template, fields: Fields, read: Sequence[Measured], instead: Sequence[Measured], truth: float
) -> list[Error]:
    """What the errors would lead to if another number were right; nothing where no readings lead there."""
    try:
        values = _readings_of(template, fields, [one.value for one in read], truth)
    except ValueError:
        return []
    return list(_errors(template, fields, values, read, instead))


def _errors(
    template: Template,
    fields: Fields,
    values: Sequence[float],
    read: Sequence[Measured],
    instead: Sequence[Measured],
) -> Iterator[Error]:
    """The answers of the template's error models, and of readings that are off by one labelled tick.

    `values` are the readings, `read` has their ticks. An error that is impossible here is left out.
    """
    others = [one.value for one in instead]
    try:
        slopes = _slopes(template.formula, fields, values, others)
    except ValueError:
        return
    for label, formula in template.errors.items():
        try:
            value = float(formulas.value(formula, named(values, fields, others)))
            yield Error(value, label, _parallel(slopes, _slopes(formula, fields, values, others)))
        except ValueError:
            continue
    for k, one in enumerate(read):
        for sign in (-1, 1):
            if one.tick:
                off = [*values[:k], values[k] + sign * one.tick, *values[k + 1 :]]
                try:
                    yield Error(float(answer(template, fields, off)), TICK)
                except ValueError:
                    continue


def _slopes(formula: str, fields: Fields, values: Sequence[float], others: Sequence[float]) -> list[float]:
    """How a formula's value moves with each reading and with what is read instead."""
    start = float(formulas.value(formula, named(values, fields, others)))
    found = []
    numbers = [*values, *others]
    for k, number in enumerate(numbers):
        moved = [*numbers[:k], number + STEP * (abs(number) or 1.0), *numbers[k + 1 :]]
        names = named(moved[: len(values)], fields, moved[len(values) :])
        found.append(float(formulas.value(formula, names)) - start)
    return found


def _parallel(a: Sequence[float], b: Sequence[float]) -> bool:
    """Whether two moves always go together: one number then follows from the other alone."""
    length = sum(x * x for x in a) * sum(y * y for y in b)
    product = sum(x * y for x, y in zip(a, b, strict=True))
    return bool(length) and product * product > (1 - 1e-4) * length


def _text(value: float, digits: int, unit: str) -> str:
    return f"{value + 0.0:.{digits}f} {unit}".strip()
