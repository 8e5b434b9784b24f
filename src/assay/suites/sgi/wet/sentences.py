"""The sentences of a background text: written by the generator and read by the planner."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from assay.numbers.rng import Stream

FORMS: Mapping[str, tuple[str, ...]] = {
    "samples": ("The samples are {samples}, in this order.",),
    "each": ("Done once for each sample: {actions}.",),
    "goal": ("The protocol ends with this result: {goal}.",),
    "fact": (
        "In {action}, {parameter} is {value}.",
        "Set {parameter} to {value} in {action}.",
        "{action} calls for {value} as {parameter}.",
    ),
    "series": (
        "In {action} of {sample}, {parameter} is {value}.",
        "For {sample}, set {parameter} to {value} in {action}.",
    ),
    "label": (
        "Every {action} carries the name of its sample as {parameter}.",
        "As {parameter} of {action} give the name of the sample.",
    ),
    "dilution": (
        "The {parameter} of {action} is what it takes of a stock of {a} to make {c} at {b} (C1 V1 = C2 V2).",
    ),
    "scaled": ("The {parameter} of {action} is {a} for each sample, and for {b} more as a spare.",),
    "mass": ("The {parameter} of {action}, in mg, makes {b} of a solution of {a}; the solute has {c}.",),
    "before": (
        "Finish {first} before {second} begins.",
        "Only after {first} is it time for {second}.",
        "{second} has to wait for {first}.",
    ),
    "never": ("Do not use {action}: {reason}.",),
}
"""What can be said, in one or several ways; fields in braces."""


def say(kind: str, stream: Stream, **fields: str) -> str:
    """One of the forms of a sentence, filled in."""
    return stream.choice(FORMS[kind]).format(**fields)


@cache
def _patterns(kind: str) -> tuple[re.Pattern[str], ...]:
    """Patterns that read the forms of a sentence back."""
    found = []
    for form in FORMS[kind]:
        pieces = re.split(r"\{(\w+)\}", form)
        pattern = "".join(
            f"(?P<{piece}>.+?)" if at % 2 else re.escape(piece) for at, piece in enumerate(pieces)
        )
        found.append(re.compile(pattern))
    return tuple(found)


ORDER = (
    "samples",
    "each",
    "goal",
    "never",
    "dilution",
    "scaled",
    "mass",
    "label",
    "series",
    "before",
    "fact",
)
"""The kinds in the order in which a reader tries them: of a sample before of all."""


def read(line: str) -> tuple[str, dict[str, str]] | None:
    """The kind and the fields of a sentence; null where it has none of the forms."""
    for kind in ORDER:
        for pattern in _patterns(kind):
            match = pattern.fullmatch(line.strip())
            if match is not None:
                return kind, match.groupdict()
    return None
