"""What a template of scenes is: what it draws, what it asks, which readings and formula lead to the answer.

All but the drawing of numbers is data, so that question, reference, wrong answers and the baseline that looks
at pixels follow from one place.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from assay.numbers.rng import Stream
from assay.suites.sgi.reasoning.measures import How
from assay.suites.sgi.reasoning.panels import Image

Fields = dict[str, Any]

ImageType = Literal["process", "observation", "experiment", "simulation", "visualization"]
Kind = Literal["signal perception", "attribute understanding", "comparative reasoning", "causal reasoning"]


@dataclass(frozen=True)
class Asked:
    """A reading that the question asks for: of which panel, what, in which unit, and how it is measured.

    In `quantity` and `how` a name in braces stands for a field of the question.
    """

    panel: str
    quantity: str
    unit: str
    how: How


@dataclass(frozen=True)
class Template:
    """A template of scenes.

    `kinds`: of each image its panels' kinds. `compose(stream, level)` draws scene and fields. `ask` is the
    question, with fields in braces. `formula` goes from the readings `r0`, ... to the answer, in `unit`;
    where `causes` is given it is a pattern such as `rises/stays/falls`, of the attributes in the order of
    `attributes`, and the answer is the cause with that pattern. `errors` has a formula for each way of being
    wrong, in which `e0`, ... are what `instead` measures. Every number can be the answer that is larger than
    `above` and not larger than `upto`; only whole ones where it is `whole`.
    """

    name: str
    image_type: ImageType
    type: Kind
    disciplines: tuple[str, ...]
    kinds: tuple[tuple[str, ...], ...]
    setting: str
    ask: str
    readings: tuple[Asked, ...]
    formula: str
    unit: str
    compose: Callable[[Stream, int], tuple[list[Image], Fields]]
    errors: Mapping[str, str] = field(default_factory=dict)
    instead: tuple[How, ...] = ()
    attributes: tuple[str, ...] = ()
    causes: Mapping[str, str] = field(default_factory=dict)
    above: float = 0.0
    upto: float = math.inf
    whole: bool = False

    @cached_property
    def _form(self) -> re.Pattern[str]:
        seen: set[str] = set()

        def group(match: re.Match[str]) -> str:
            name = match[1]
            if name in seen:
                return f"(?P={name})"
            seen.add(name)
            return rf"(?P<{name}>[\w.\-]*\w)"

        return re.compile(re.sub(r"\\\{(\w+)\\\}", group, re.escape(self.ask)))

    def fields_of(self, question: str) -> Fields | None:
        """The fields of a question of this template, numbers as floats; null for other questions."""
        match = self._form.search(question)
        if match is None:
            return None
        return {name: _number(text) for name, text in match.groupdict().items()}


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def filled(how: How, fields: Fields) -> list[Any]:
    """A measure with its fields put in."""
    return [fields[part[1:-1]] if isinstance(part, str) and part.startswith("{") else part for part in how]


def real(stream: Stream, low: float, high: float, step: float) -> float:
    """A number on a grid between two others."""
    return round(low + step * stream.below(round((high - low) / step) + 1), 10)


def causes_question(template: Template) -> str:
    """The effects of every cause in words."""
    lines = [
        f"- {cause}: "
        + ", ".join(f"{a} {what}" for a, what in zip(template.attributes, pattern.split("/"), strict=True))
        for pattern, cause in template.causes.items()
    ]
    return "Known effects (a change of at most a tenth counts as none: it stays):\n" + "\n".join(lines)
