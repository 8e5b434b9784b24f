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

OTHER_WORLDS = 90
"""Percentile of the scores of other worlds' right decisions that `zero` is at least.

Whoever copies the reference of the most similar of many solved items got 8 points of wet items where these
references did not count, and between the 90th and the 95th percentile both this attacker and agents that
decide every second time rightly keep near their bounds (docs/sgi.md).
"""

DIGITS = 6


def anchored(raw: float, anchors: Mapping[str, Any]) -> float:
    """The score of a raw score, 0 .. 1."""
    zero, reference = float(anchors["zero"]), float(anchors["reference"])
    return min(max((raw - zero) / (reference - zero), 0.0), 1.0)


def percentile(values: Sequence[float], percent: int) -> float:
    """The smallest value that at most 100 - `percent` % of the values exceed.

    Example:
        >>> percentile(range(1, 41), 95), percentile(range(1, 41), 90)
        (38, 36)
    """
    ordered = sorted(values)
    return ordered[math.ceil(percent * len(ordered) / 100) - 1]


def anchors(
    raw: Callable[[Choices], float],
    right: Choices,
    uninferred: Mapping[str, Choices],
    random: Iterable[Choices],
    room: float = LEAST_ROOM,
    others: Iterable[Choices] = (),
) -> dict[str, Any]:
    """The anchors of an item.

    Args:
        raw: the raw score of decisions. What is given away must be right in all that it is asked about.
        right: the decisions of the reference.
        uninferred: decisions that need no inference about the item, by the name of what makes them:
            constants, usual values, single rows picked from tables.
        random: sound decisions with random values.
        room: least distance between the reference and the best of the others.
        others: decisions of the references of other worlds.

    Raises:
        Rejected: the reference is too near to what needs no inference.
    """
    reference = raw(right)
    known = {name: raw(choices) for name, choices in uninferred.items()}
    best = max(known, key=lambda name: known[name])
    if reference - known[best] < room:
        raise Rejected(f"the reference is within {room} of {best}")
    known["random"] = percentile([raw(choices) for choices in random], 95)
    copied = [raw(choices) for choices in others]
    if copied:
        known["other worlds"] = percentile(copied, OTHER_WORLDS)
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
    found: Mapping[str, Choice] = _checked(path)["decisions"]
    return found


@cache
def frozen_references(path: Path) -> Sequence[Choices]:
    """Return the right decisions of other worlds from the file of constant decisions; not all files have any.

    Raises:
        ValueError: the file has another digest.
    """
    return tuple(_checked(path).get("references", ()))


def _checked(path: Path) -> Mapping[str, Any]:
    content: Mapping[str, Any] = yaml.read(path)
    if canonical.digest(_digested(content["decisions"], content.get("references", ()))) != content["digest"]:
        raise ValueError(f"{path}: the decisions do not have the digest that the file states")
    return content


def _digested(decisions: Mapping[str, Choice], references: Sequence[Choices]) -> Any:
    return [decisions, *references] if references else decisions


def _key(name: str) -> str:
    return canonical.dumps(name) if ":" in name else name


def house_text(values: Mapping[str, Choice], seed: int, references: Sequence[Choices] = ()) -> str:
    """The file of constant decisions, from those, the root seed they were fitted on, and references."""
    kept, others = dict(sorted(values.items())), [dict(sorted(one.items())) for one in references]
    listed = [f"  - {canonical.dumps(one)}" for one in others]
    return "\n".join(
        [
            "# Constant decisions: modes and means of references; made by `assay sgi calibrate --house`.",
            f"seed: {seed}",
            f"digest: {canonical.digest(_digested(kept, others))}",
            "decisions:",
            *(f"  {_key(name)}: {canonical.dumps(value)}" for name, value in kept.items()),
            *(["references:", *listed] if listed else []),
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
