"""Scores by chance: the expected score of guessing, computed from the tasks, and the score of `random`."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from assay import canonical
from assay.protocol import Tables
from assay.suites.petri.questions.answers import DIRECTIONS, INTERACTIONS, MAGNITUDES, truth
from assay.suites.petri.scoring import correctness, is_right
from assay.suites.petri.tables.leaderboard import SCOPE, standings
from assay.suites.petri.tables.scopes import ALL, scopes_of
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import frame

CHANCE = "random"
"""Name of the solver that guesses."""

FLOOR = Schema(
    "floor",
    1,
    (
        SCOPE,
        Column("tier", "string", "the tier; `all` for the whole scope"),
        Column("tasks", "int64", "tasks whose answers can be counted"),
        Column("score", "float64", "mean score over all answers, each equally likely", unit="points"),
        Column("solved", "float64", "share of answers that are right"),
        Column("episodes", "int64", "episodes of the solver `random`"),
        Column("measured", "float64", "its mean score; null without episodes", nullable=True, unit="points"),
        Column(
            "error",
            "float64",
            "the standard error that its mean has by chance; null without episodes",
            nullable=True,
            unit="points",
        ),
    ),
    key=("scope", "tier"),
    doc="The score that guessing has on these tasks, exactly, beside that of the solver `random`.",
)


def possible_answers(tier: str, candidates: list[str]) -> Iterator[dict[str, Any]]:
    """Yield every answer that `random` may give at a tier; all are equally likely."""
    if tier == "L3":
        for pair, sign in product(combinations(candidates, 2), INTERACTIONS):
            yield {"parameters": list(pair), "interaction": sign}
        return
    sizes = MAGNITUDES if tier == "L2" else (None,)
    for name, direction, size in product(candidates, DIRECTIONS, sizes):
        yield {"parameter": name, "direction": direction} | ({"magnitude": size} if size else {})


def expectation(public: Mapping[str, Any], hidden: Mapping[str, Any]) -> tuple[Fraction, Fraction, Fraction]:
    """Return the exact mean and variance of the score of a guess at a task, and its chance of being right.

    A guess earns only points for correctness, since it makes no experiment.
    """
    right = truth(hidden)
    answers = list(possible_answers(public["tier"], public["candidates"]))
    points = [Fraction(correctness(public["tier"], answer, right)) for answer in answers]
    hits = sum(is_right(answer, right) for answer in answers)
    mean = sum(points, Fraction(0)) / len(points)
    variance = sum(((p - mean) ** 2 for p in points), Fraction(0)) / len(points)
    return mean, variance, Fraction(hits, len(points))


def floor(tables: Tables) -> Any:
    scopes = scopes_of(tables)
    expectations: dict[tuple[str, str], list[tuple[Fraction, Fraction, Fraction]]] = defaultdict(list)
    for row in tables["tasks"].itertuples(index=False):
        public = canonical.loads(row.public)
        if "variant" in public or public["tier"] == "L4":
            continue
        of_task = expectation(public, canonical.loads(row.hidden))
        for scope in scopes[row.task_set, row.task_id]:
            for tier in (public["tier"], ALL):
                expectations[scope, tier].append(of_task)
    of_chance = {(s.scope, s.tier): s for s in standings(tables) if s.agent == CHANCE}
    rows = []
    for (scope, tier), tasks in sorted(expectations.items()):
        means, variances, hits = zip(*tasks, strict=True)
        n = len(tasks)
        played = of_chance.get((scope, tier))
        episodes = played.episodes if played else 0
        # All tasks have the same number of attempts, so their variances have equal weights.
        spread = sum(variances, Fraction(0)) / n / episodes if episodes else None
        expected = [float(sum(values, Fraction(0)) / n) for values in (means, hits)]
        measured = (played.score if played else None, None if spread is None else math.sqrt(spread))
        rows.append((scope, tier, n, *expected, episodes, *measured))
    return frame(rows, FLOOR)
