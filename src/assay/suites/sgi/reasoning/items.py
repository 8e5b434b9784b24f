"""An item of experimental reasoning in the released columns: question, options, readings, scene."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from itertools import pairwise
from typing import Any

from assay.numbers import rng
from assay.numbers.rng import Stream
from assay.suites.sgi.attempts import Rejected, first_passing
from assay.suites.sgi.families import item_name
from assay.suites.sgi.metrics.reasoning import letter
from assay.suites.sgi.reasoning.bank import BY_NAME, IMAGE_TYPES, TYPES, fitting
from assay.suites.sgi.reasoning.measures import Measured, Unreadable
from assay.suites.sgi.reasoning.options import (
    COUNT,
    FILLING,
    RESOLUTIONS,
    RIGHT,
    Standing,
    options_of,
    resolution,
)
from assay.suites.sgi.reasoning.reading import answer, mistaken, nearest, number, readings
from assay.suites.sgi.reasoning.templates.template import Template, causes_question
from assay.suites.sgi.seeding import VERSION, item_seed, permuted

LEVELS = (1, 2, 3, 4)

CONTRACT = """Reason step by step. Report what you read off in a JSON block
{{"readings": [{{"panel": "...", "quantity": "...", "value": number, "unit": "..."}}], "answer": "X"}}
with these readings:
{asked}
Give the letter of your option in \\boxed{{X}} at the end."""

BOX = "Give the letter of your option in \\boxed{X} at the end."
"""The end of every question, as it is shown."""


def cell(root: int, index: int) -> tuple[Template, int]:
    """Template and level: all 20 cells of image type and type in 20 items, all 40 templates in 40."""
    cells = permuted(root, "experimental_reasoning", "cells", [(i, t) for i in IMAGE_TYPES for t in TYPES])
    levels = permuted(root, "experimental_reasoning", "levels", LEVELS)
    place, turn = index % len(cells), index // len(cells)
    templates = fitting(*cells[place])
    return templates[(place + turn) % len(templates)], levels[(place + turn // len(templates)) % len(LEVELS)]


def standing(root: int, index: int) -> Standing:
    """Where the right option stands: every place twice in 20 items, and a drawn number of options below it.

    Every template comes round to every place.
    """
    places = permuted(root, "experimental_reasoning", "places", range(COUNT))
    turn = index // len(BY_NAME)
    below = rng.stream(item_seed(root, "experimental_reasoning", index), "sgi", "below").below(COUNT)
    return Standing(places[(index + turn) % COUNT], below)


def generate(root: int, index: int, level: int | None = None) -> dict[str, Any]:
    """The item of that index, as a row of the released columns and our own (`x_...`).

    `images` holds file names; `assay.suites.sgi.reasoning.pictures` draws them from `x_scene`. `TaskError`
    where no draw passes the rules.
    """
    template, own_level = cell(root, index)
    level = level or own_level
    stands = standing(root, index)
    attempt = partial(draw, template, level, index, stands=stands)
    return first_passing(root, "experimental_reasoning", index, level, template.name, attempt)


def draw(template: Template, level: int, index: int, stream: Stream, stands: Standing) -> dict[str, Any]:
    """An item of a template; `Rejected` where the draw breaks a rule."""
    scene, fields = template.compose(stream, level)
    try:
        read, instead = readings(template, fields, scene), mistaken(template, fields, scene)
        options = options_of(template, fields, read, instead, stream, stands)
    except (Unreadable, ValueError) as problem:
        raise Rejected(f"the scene cannot be read: {problem}") from problem
    shown = {name: _field(value) for name, value in fields.items()}
    name = item_name("experimental_reasoning", index)
    images = [f"{name}_{k}.png" for k in range(1, len(scene) + 1)]
    asked = [
        {"panel": a.panel, "quantity": a.quantity.format(**shown), "unit": a.unit} for a in template.readings
    ]
    row = {
        "idx": name,
        "question": _question(template, shown, asked),
        "images": images,
        "options": [option.text for option in options],
        "steps": _steps(template, asked, read, letter(stands.place)),
        "step_images": images,
        "answer": stands.place,
        "image_type": template.image_type,
        "discipline": stream.choice(template.disciplines),
        "direction": template.name.replace("-", " "),
        "type": template.type,
        "x_level": level,
        "x_version": VERSION,
        "x_template": template.name,
        "x_fields": fields,
        "x_formula": template.formula,
        "x_readings": [
            {**one, "value": _rounded(m), "tol": float(f"{m.tol:.3g}")}
            for one, m in zip(asked, read, strict=True)
        ],
        "x_option_labels": [option.label for option in options],
        "x_scene": scene,
    }
    validate(row)
    return row


def _field(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, int | float) else str(value)


def _rounded(one: Measured) -> float:
    """A reading with digits well below its tolerance."""
    return float(f"{one.value:.7g}")


def _question(template: Template, shown: Mapping[str, str], asked: list[dict[str, str]]) -> str:
    lines = [
        f"- panel {one['panel']}: {one['quantity']}" + (f", in {one['unit']}" if one["unit"] else "")
        for one in asked
    ]
    parts = [template.setting, template.ask.format(**shown)]
    if template.causes:
        parts.append(causes_question(template))
    return "\n\n".join([*parts, CONTRACT.format(asked="\n".join(lines))])


def _steps(template: Template, asked: list[dict[str, str]], read: list[Measured], right: str) -> list[str]:
    """The reference in words: each image with a placeholder, each reading, the formula, the option."""
    images = [f"Look at image {k + 1}: <img>" for k in range(len(template.kinds))]
    values = [
        f"r{k}, panel {one['panel']}, {one['quantity']}: {m.value:.5g} {one['unit']}".strip()
        for k, (one, m) in enumerate(zip(asked, read, strict=True))
    ]
    return [*images, *values, f"Compute {template.formula}.", f"The option is {right}."]


def validate(row: dict[str, Any]) -> None:
    """Check what an item promises; `Rejected` names the rule that it breaks."""
    template: Template = BY_NAME[row["x_template"]]
    options, labels, fields = row["options"], row["x_option_labels"], row["x_fields"]
    if not len(set(options)) == len(options) == len(labels) == COUNT:
        raise Rejected("not ten different options")
    if labels.count(RIGHT) != 1 or labels[row["answer"]] != RIGHT:
        raise Rejected("not exactly one right option")
    try:
        read = readings(template, fields, row["x_scene"])
        found = answer(template, fields, [one.value for one in read])
    except (Unreadable, ValueError) as problem:
        raise Rejected(f"the scene cannot be read: {problem}") from problem
    if nearest(options, found) != row["answer"]:
        raise Rejected("the formula does not select the right option")
    if len({label for label in labels if label not in (RIGHT, FILLING)}) < 2:
        raise Rejected("fewer than two kinds of error among the options")
    if template.fields_of(row["question"]) is None:
        raise Rejected("the question does not read back as itself")
    for asked, one in zip(row["x_readings"], read, strict=True):
        if asked["value"] != _rounded(one):
            raise Rejected("a reading is not that of the scene")
    if template.causes:
        _clear(template, [one.value for one in read], fields)
    else:
        _apart(template, options, fields, read)
    _steady(template, row)


def _apart(template: Template, options: list[str], fields: dict[str, Any], read: list[Measured]) -> None:
    """Numbers are three resolutions apart, and none is a hair from zero."""
    values = sorted(value for option in options if (value := number(option)) is not None)
    gap = min(b - a for a, b in pairwise(values))
    least = 1.0 if template.whole else RESOLUTIONS * resolution(template, fields, read)
    if gap < least * (1 - 1e-9):
        raise Rejected("two options are closer than three resolutions")


def _clear(template: Template, values: list[float], fields: dict[str, Any]) -> None:
    """A change that is called one is far above a tenth, one that is none far below."""
    for before, after in zip(values[::2], values[1::2], strict=True):
        share = abs(after - before) / abs(before)
        if 0.05 < share < 0.2:
            raise Rejected("a change is near the bound of what counts as one")


def _steady(template: Template, row: dict[str, Any]) -> None:
    """A step curve that is read at a level is not flat near that level."""
    fields, scene = row["x_fields"], row["x_scene"]
    if all(asked.how[0] != "fall" for asked in template.readings):
        return
    places = {
        readings(template, {**fields, "percent": fields["percent"] + shift}, scene)[0].value
        for shift in (-1.2, 0.0, 1.2)
    }
    if len(places) > 1:
        raise Rejected("a curve is flat near the level at which it is read")


def solve(row: Mapping[str, Any]) -> str:
    """The reply that is right."""
    return reply(row["x_readings"], letter(row["answer"]))


def reply(found: Any, chosen: str) -> str:
    """A reply with readings and the letter of an option."""
    block = {
        "readings": [{key: one[key] for key in ("panel", "quantity", "value", "unit")} for one in found],
        "answer": chosen,
    }
    return f"Readings and answer:\n```json\n{json.dumps(block)}\n```\n\\boxed{{{chosen}}}"
