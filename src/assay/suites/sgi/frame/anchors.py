"""Anchors of a score: what the best reply that infers nothing about an item gets, and the reference.

`score = clip((raw - zero) / (reference - zero), 0, 1)`: who only knows good practice gets 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from assay import canonical
from assay.config import yaml
from assay.suites.sgi.attempts import Rejected
from assay.suites.sgi.frame.family import LEAST_COST, LEAST_ROOM, Choice, Choices

RANDOM_REPLIES = 40
"""Sound replies with random values, of which the 95th percentile counts."""

DIGITS = 6


def anchored(raw: float, anchors: Mapping[str, Any]) -> float:
    """The score of a raw score, 0 .. 1."""
    zero, reference = float(anchors["zero"]), float(anchors["reference"])
    return min(max((raw - zero) / (reference - zero), 0.0), 1.0)


def percentile95(values: Sequence[float]) -> float:
    """The 95th percentile: the smallest value that at most 5 % of the values exceed."""
    ordered = sorted(values)
    return ordered[math.ceil(0.95 * len(ordered)) - 1]


def anchors(
    raw: Callable[[Choices], float],
    right: Choices,
    uninferred: Mapping[str, Choices],
    random: Iterable[Choices],
    room: float = LEAST_ROOM,
) -> dict[str, Any]:
    """The anchors of an item.

    Args:
        raw: the raw score of decisions. What is given away must be right in all that it is asked about.
        right: the decisions of the reference.
        uninferred: decisions that need no inference about the item, by the name of what makes them:
            constants, usual values, single rows picked from tables.
        random: sound decisions with random values.
        room: least distance between the reference and the best of the others.

    Raises:
        Rejected: the reference is too near to what needs no inference.
    """
    reference = raw(right)
    known = {name: raw(choices) for name, choices in uninferred.items()}
    best = max(known, key=lambda name: known[name])
    if reference - known[best] < room:
        raise Rejected(f"the reference is within {room} of {best}")
    known["random"] = percentile95([raw(choices) for choices in random])
    best = max(known, key=lambda name: known[name])
    if reference - known[best] < room:
        raise Rejected(f"the reference is within {room} of {best}")
    return {
        "zero": round(known[best], DIGITS),
        "reference": round(reference, DIGITS),
        "set_by": best,
        **{name: round(value, DIGITS) for name, value in known.items()},
    }


def inference(
    name: str,
    right: Choice,
    house: Choice,
    wrong: Mapping[str, Choice],
    raw: Callable[[Choices], float],
    rights: Choices,
    whole: float,
) -> dict[str, Any] | None:
    """A decision as an inference of an item; None where no named wrong value costs enough.

    Args:
        name: of the decision.
        right: the reference's value.
        house: the constant value.
        wrong: named wrong values.
        raw: the raw score of decisions.
        rights: all decisions of the reference.
        whole: the raw score of the reference.
    """
    costs = {label: whole - raw({**rights, name: value}) for label, value in wrong.items()}
    kept = [label for label in wrong if costs[label] >= LEAST_COST]
    if not kept:
        return None
    return {
        "id": name,
        "right": right,
        "house": house,
        "fallacies": [{"label": label, "value": wrong[label]} for label in kept],
        "cost": round(math.fsum(costs[label] for label in kept) / len(kept), DIGITS),
    }


@cache
def frozen_house(path: Path) -> Mapping[str, Choice]:
    """The constant decisions of a family, from a file whose digest it states.

    They are those of all levels together, since laws are only a little wider at higher levels.

    Raises:
        ValueError: the file has another digest.
    """
    content = yaml.read(path)
    if canonical.digest(content["decisions"]) != content["digest"]:
        raise ValueError(f"{path}: the decisions do not have the digest that the file states")
    found: Mapping[str, Choice] = content["decisions"]
    return found


def _key(name: str) -> str:
    return canonical.dumps(name) if ":" in name else name


def house_text(values: Mapping[str, Choice], seed: int) -> str:
    """The file of constant decisions, from those and the root seed they were fitted on."""
    kept = dict(sorted(values.items()))
    return "\n".join(
        [
            "# Constant decisions: modes and means of references; made by `assay sgi calibrate --house`.",
            f"seed: {seed}",
            f"digest: {canonical.digest(kept)}",
            "decisions:",
            *(f"  {_key(name)}: {canonical.dumps(value)}" for name, value in kept.items()),
            "",
        ]
    )


def constant(values: Sequence[Choice], *, even: bool) -> Choice:
    """The constant value for a decision: the mode of words, the rounded mean of counts, the mean of numbers.

    Args:
        values: right values; a count is a word of digits.
        even: whether numbers have a plain mean, not a geometric one.
    """
    if isinstance(values[0], str):
        if all(str(value).isdigit() for value in values):
            return str(math.floor(math.fsum(int(value) for value in values) / len(values) + 0.5))
        words = sorted({str(value) for value in values})
        return max(words, key=lambda word: sum(word == value for value in values))
    numbers = [float(value) for value in values]
    if even:
        return float(f"{math.fsum(numbers) / len(numbers):.3g}")
    return float(f"{math.exp(math.fsum(math.log(n) for n in numbers) / len(numbers)):.3g}")
