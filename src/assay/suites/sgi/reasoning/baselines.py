"""Baselines without the truth and without a language model: a reader of tables, and one that looks at pixels.

Both know the forms of the questions, so that they know what to measure; what they measure is the scene of the
table, or the one that segmentation recovers from the pictures.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.suites.sgi.metrics.reasoning import letter
from assay.suites.sgi.reasoning.bank import TEMPLATES
from assay.suites.sgi.reasoning.items import reply
from assay.suites.sgi.reasoning.listing import parsed
from assay.suites.sgi.reasoning.measures import Scene, Unreadable, measured
from assay.suites.sgi.reasoning.reading import answer, likeliest
from assay.suites.sgi.reasoning.templates.template import Fields, Template, filled

if TYPE_CHECKING:
    from assay.suites.sgi.reasoning.canvas import Pixels


def recognised(question: str) -> tuple[Template, Fields] | None:
    """The template of a question and its fields; null for a question of another form."""
    for template in TEMPLATES:
        if template.setting in question and (fields := template.fields_of(question)) is not None:
            return template, fields
    return None


def options_shown(text: str) -> list[str]:
    """The options of their lettered lines."""
    return [line.partition(". ")[2] for line in text.splitlines()]


def read_tables(question: str, options: str, table: str) -> str:
    """A reply from a scene that is told as tables; empty where the question has another form."""
    known = recognised(question)
    return "" if known is None else _concluded(*known, options_shown(options), parsed(table))


def look(question: str, options: str, pictures: Sequence[Pixels]) -> str:
    """A reply from pictures; empty where the question has another form."""
    known = recognised(question)
    if known is None:
        return ""
    # It loads matplotlib's fonts and an image library: only who looks at pictures pays for them.
    from assay.suites.sgi.reasoning.segmentation import recovered

    template, fields = known
    scene = [recovered(pixels, kinds) for pixels, kinds in zip(pictures, template.kinds, strict=True)]
    return _concluded(template, fields, options_shown(options), scene)


def _concluded(template: Template, fields: Fields, options: list[str], scene: Scene) -> str:
    """Readings, and the option nearest to the formula's answer; the first where there is none."""
    shown = {name: f"{v:.6g}" if isinstance(v, float) else v for name, v in fields.items()}
    found, values = [], []
    for asked in template.readings:
        try:
            value = measured(scene, filled(asked.how, fields)).value
        except Unreadable:
            continue
        values.append(value)
        quantity = asked.quantity.format(**shown)
        found.append(
            {"panel": asked.panel, "quantity": quantity, "value": float(f"{value:.5g}"), "unit": asked.unit}
        )
    chosen = None
    if len(values) == len(template.readings):
        try:
            chosen = likeliest(options, answer(template, fields, values))
        except ValueError:
            chosen = None
    return reply(found, letter(chosen or 0))
