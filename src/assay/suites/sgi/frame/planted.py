"""Planted agents: replies in which each inference is right with a known probability."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from assay.suites.sgi.frame.family import Choice, Family, Row
from assay.validity.planted import Luck

Line = Literal["fallback", "fallacy"]
"""What an agent does where it fails: takes the house value, or one of the named wrong values."""


def reply(
    family: Family, row: Row, right: Callable[[str], bool], line: Line, pick: Callable[[str, int], int]
) -> str:
    """A planted agent's reply.

    Args:
        family: of the item.
        row: the item.
        right: whether the inference of that name is right.
        line: what it does where it fails.
        pick: of a name and a number n an index below n, for the choice of a wrong value.
    """
    choices: dict[str, Choice] = {}
    for inference in row["x_inferences"]:
        name = inference["id"]
        if right(name):
            continue
        if line == "fallback":
            choices[name] = inference["house"]
        else:
            wrong = inference["fallacies"]
            choices[name] = wrong[pick(name, len(wrong))]["value"]
    if line == "fallback":
        # Open decisions that cost nothing alone are no inferences, but may cost together.
        house = family.house(row)
        for name in row["x_free"]:
            if name in house and not right(name):
                choices[name] = house[name]
    return family.play(row, choices)


def with_luck(family: Family, row: Row, luck: Luck, line: Line = "fallback") -> str:
    """A planted agent's reply with the luck of an episode."""
    return reply(
        family,
        row,
        lambda name: luck.right(name),
        line,
        lambda name, n: luck.stream.child("wrong", name).below(n),
    )
