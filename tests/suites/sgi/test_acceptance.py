"""The acceptance numbers of version 1: planted agents and attackers over items of every level."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import pytest

from assay.suites.sgi.frame import curves
from assay.suites.sgi.frame.attackers import ATTACKERS
from assay.suites.sgi.frame.family import LEVELS, Row
from assay.suites.sgi.frame.registry import family_of

pytestmark = pytest.mark.full

SEED, SOLVED = 100, 6

LIMITS: dict[str, dict[str, Any]] = {
    "deep_research": {
        "items": 12,
        "reference": 99.9,
        "none": 10,
        "half": (10, 50),
        "most": 55,
        "dial": 15,
        "solver": 85,
        "chance": 0,
    },
    "wet_experiment": {
        "items": 12,
        "reference": 99.9,
        "none": 10,
        "half": (35, 60),
        "most": 80,
        "dial": 10,
        "solver": 85,
        "chance": 0,
    },
    "experimental_reasoning": {
        "items": 40,
        "reference": 99.9,
        "none": 15,
        "half": (35, 65),
        "most": 80,
        "dial": 10,
        "solver": 80,
        "chance": 10,
    },
    "idea_generation": {
        "items": 12,
        "reference": 95,
        "none": 10,
        "half": (20, 60),
        "most": 75,
        "dial": 10,
        "solver": 70,
        "chance": 0,
    },
    "investigation": {
        "items": 12,
        "reference": 99.9,
        "none": 10,
        "half": (20, 60),
        "most": 75,
        "dial": 15,
        "solver": 85,
        "chance": 0,
    },
}
"""Of each family: items a level; points of the reference at least, of `fallback` at ability 0 at most, at 0.5
between, at 0.9 at least; what level 5 takes from `fallacy` at 0.8 against level 1 at least; the solver's at
least; what a guess gets in the mean."""

IDEAS = "measured by lucky guesses in a few items of level 1, and"

MISSED: dict[tuple[Any, ...], str] = {
    ("ceiling", "wet_experiment", "frozen-house"): "9e-6 measured, by rounding; 0 is asked for",
    ("ceiling", "wet_experiment", "nearest-neighbour"): "5.1 measured; docs/sgi.md says what lowers it",
    ("ceiling", "idea_generation", "frozen-house"): "1.7 measured: an idea at the knee earns 5 points",
    ("ceiling", "idea_generation", "nearest-neighbour"): f"6.1 {IDEAS} 4.1 on 90 items of seed 20261206",
    ("ceiling", "idea_generation", "random-sound"): f"5.9 {IDEAS} 1.7 on 90 items of seed 20261206",
    ("most", "investigation"): "74.98 measured here, 78.9 and 74.8 with seeds 555 and 777",
    ("solver", "idea_generation", 4): "68.0 measured on six ideas",
}
"""Numbers that a family was measured to miss, by test, family and what else the test has as a parameter."""


def cases(number: str, *details: Any) -> list[Any]:
    """The parameters of a test about a number: each family, with each of the details where there are any."""
    rows = [(family, *detail) for family in sorted(LIMITS) for detail in ([[d] for d in details] or [[]])]
    return [
        pytest.param(*row, marks=pytest.mark.xfail(strict=True, reason=MISSED[number, *row]))
        if (number, *row) in MISSED
        else row
        for row in rows
    ]


@cache
def items(family: str) -> dict[int, list[Row]]:
    """Items of all levels."""
    each = range(LIMITS[family]["items"])
    return {level: [family_of(family).generate(SEED, at, level) for at in each] for level in LEVELS}


@cache
def mean_curve(family: str, line: Any) -> list[float]:
    """The curve of planted agents, levels with equal weight."""
    # One wrong inference makes an answer of deep research wrong, so weak agents are rarely right.
    draws = range(1, 41) if (family, line) == ("deep_research", "fallacy") else curves.DRAWS
    of_levels = [curves.curve(family_of(family), rows, line, draws) for rows in items(family).values()]
    return [curves.mean(list(values)) for values in zip(*of_levels, strict=True)]


@pytest.mark.parametrize(("family",), cases("ends"))
def test_scores_reach_from_nothing_to_the_reference(family: str) -> None:
    limits, fallback = LIMITS[family], mean_curve(family, "fallback")
    assert fallback[-1] >= limits["reference"]
    assert fallback[0] <= limits["none"]


@pytest.mark.parametrize(("family",), cases("most"))
def test_nearly_able_is_nearly_full(family: str) -> None:
    assert mean_curve(family, "fallback")[9] >= LIMITS[family]["most"]


@pytest.mark.parametrize(("family", "line"), cases("rank", "fallback", "fallacy"))
def test_scores_rise_with_ability(family: str, line: Any) -> None:
    assert curves.rank_correlation(mean_curve(family, line)) >= 0.98


@pytest.mark.parametrize(("family",), cases("half"))
def test_half_the_ability_is_worth_about_half(family: str) -> None:
    least, most = LIMITS[family]["half"]
    assert least <= mean_curve(family, "fallback")[5] <= most


@pytest.mark.parametrize(("family",), cases("dial"))
def test_levels_are_a_dial(family: str) -> None:
    ends = [curves.curve(family_of(family), items(family)[level], "fallacy")[8] for level in (1, 5)]
    assert ends[0] - ends[1] >= LIMITS[family]["dial"]


@pytest.mark.parametrize(("family", "attacker"), cases("ceiling", *sorted(ATTACKERS)))
def test_attackers_stay_below_their_ceilings(family: str, attacker: str) -> None:
    reached = []
    for level, rows in items(family).items():
        solved = [row for other in LEVELS if other != level for row in items(family)[other]]
        reached += [curves.attacked(family_of(family), row, solved, attacker, 9) for row in rows]
    chance = LIMITS[family]["chance"]
    # Guesses scatter: what two standard errors of their mean explain is no fault of the generator.
    scatter = 2 * math.sqrt(chance * (100 - chance) / len(reached))
    assert curves.mean(reached) - scatter <= chance + ATTACKERS[attacker][1]


@pytest.mark.parametrize(("family", "level"), cases("solver", *LEVELS))
def test_the_solver_needs_nothing_but_the_prompt(family: str, level: int) -> None:
    of = family_of(family)
    rows = items(family)[level][:SOLVED]
    scores = [curves.points(of, row, of.solved(row)) for row in rows]
    assert curves.mean(scores) >= LIMITS[family]["solver"]


def test_no_value_is_right_in_most_ideas() -> None:
    """At most 60 % of a kind of decision, and two standard errors of as many items."""
    seen: dict[str, list[Any]] = {}
    for rows in items("idea_generation").values():
        for one in (one for row in rows for one in row["x_inferences"]):
            if isinstance(one["right"], str):
                seen.setdefault(one["id"].split(" ")[0], []).append(one["right"])
    for kind, values in seen.items():
        share = max(values.count(value) for value in values) / len(values)
        assert share <= 0.6 + 2 * (0.24 / len(values)) ** 0.5, kind
    assert {"instrument", "layout", "model", "replicates", "vary"} <= set(seen)


@pytest.mark.parametrize(("family",), cases("items"))
def test_items_differ(family: str) -> None:
    rows = [row for of_level in items(family).values() for row in of_level]
    of = family_of(family)
    assert len({str([row[name] for name in of.SHOWN]) for row in rows}) == len(rows)
    assert len({of.play(row, {}) for row in rows}) == len(rows)
    assert len({row["x_structure"] for row in rows}) >= 30
