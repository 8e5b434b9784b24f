"""The acceptance numbers of version 1: planted agents and attackers over items of every level."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from assay.suites.sgi.frame import curves
from assay.suites.sgi.frame.attackers import ATTACKERS
from assay.suites.sgi.frame.family import LEVELS, Row
from assay.suites.sgi.frame.registry import family_of

pytestmark = pytest.mark.full

SEED, EACH = 20261123, 12

LIMITS: dict[str, dict[str, Any]] = {
    "wet_experiment": {"reference": 99.9, "none": 10, "half": (35, 60), "most": 80, "dial": 10, "solver": 85},
}
"""Of each family: points of the reference at least, of `fallback` at ability 0 at most, at 0.5 between, at
0.9 at least; what level 5 takes from `fallacy` at 0.8 against level 1 at least; the solver's at least."""


@cache
def items(family: str) -> dict[int, list[Row]]:
    """Items of all levels."""
    return {level: [family_of(family).generate(SEED, at, level) for at in range(EACH)] for level in LEVELS}


def every(family: str) -> list[Row]:
    """All of them."""
    return [row for rows in items(family).values() for row in rows]


@pytest.mark.parametrize("family", sorted(LIMITS))
def test_scores_rise_with_ability(family: str) -> None:
    of, limits = family_of(family), LIMITS[family]
    fallback, fallacy = (curves.curve(of, every(family), line, SEED) for line in ("fallback", "fallacy"))
    assert fallback[-1] >= limits["reference"]
    assert fallback[0] <= limits["none"]
    assert limits["half"][0] <= fallback[5] <= limits["half"][1]
    assert fallback[9] >= limits["most"]
    assert curves.rank_correlation(fallback) >= 0.98
    assert curves.rank_correlation(fallacy) >= 0.98


@pytest.mark.parametrize("family", sorted(LIMITS))
def test_levels_are_a_dial(family: str) -> None:
    of = family_of(family)
    ends = [curves.curve(of, items(family)[level], "fallacy", SEED)[8] for level in (1, 5)]
    assert ends[0] - ends[1] >= LIMITS[family]["dial"]


@pytest.mark.parametrize("family", sorted(LIMITS))
def test_attackers_stay_below_their_ceilings(family: str) -> None:
    of = family_of(family)
    reached = {name: [] for name in ATTACKERS}  # type: dict[str, list[float]]
    for level in LEVELS:
        solved = [row for other in LEVELS if other != level for row in items(family)[other]]
        for name, value in curves.attacks(of, items(family)[level], solved, SEED).items():
            reached[name].append(value)
    for name, values in reached.items():
        assert curves.mean(values) <= ATTACKERS[name][1], name


@pytest.mark.parametrize("family", sorted(LIMITS))
def test_the_solver_needs_nothing_but_the_prompt(family: str) -> None:
    of = family_of(family)
    for rows in items(family).values():
        scores = [curves.points(of, row, of.solve([row[name] for name in of.SHOWN])) for row in rows]
        assert curves.mean(scores) >= LIMITS[family]["solver"]


@pytest.mark.parametrize("family", sorted(LIMITS))
def test_items_differ(family: str) -> None:
    rows = every(family)
    for column in ("question", "answer"):
        assert len({row[column] for row in rows}) == len(rows)
    assert len({row["x_structure"] for row in rows}) >= 30
