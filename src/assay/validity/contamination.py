"""Public less fresh: does an agent score more in a public set than in fresh tasks of the same recipe?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.numbers import student
from assay.numbers.rng import Stream
from assay.tables.schema import Column, Schema

LEVEL = 0.05
"""A two-sided p below this, with more points in the public set, is a sign of contamination."""

CONTAMINATION = Schema(
    "contamination",
    1,
    (
        Column("agent", "string", "who played both sets"),
        Column("task_set", "string", "the public set"),
        Column("fresh_set", "string", "the set of fresh tasks"),
        Column("public", "float64", "mean score in the public set"),
        Column("fresh", "float64", "mean score in the fresh set"),
        Column("difference", "float64", "the first less the second"),
        Column("low", "float64", "lower end of its 95 % interval (Welch)"),
        Column("high", "float64", "upper end of its 95 % interval"),
        Column("p", "float64", "two-sided p of its being zero (Welch)", digits=6),
    ),
    key=("agent", "task_set", "fresh_set"),
    partition="agent",
    doc="Agents that played a public set and fresh tasks of its recipe.",
)


@dataclass(frozen=True)
class Gap:
    """The difference between two sets, with its interval and two-sided p."""

    public: float
    fresh: float
    difference: float
    low: float
    high: float
    p: float

    @property
    def suspicious(self) -> bool:
        """Whether the public set is significantly easier for the agent."""
        return self.difference > 0 and self.p < LEVEL


def gap(public: Sequence[float], fresh: Sequence[float]) -> Gap:
    """Compare the scores of an agent in both sets by Welch's test.

    Args:
        public: the score of each public task, the mean over attempts.
        fresh: the same of the fresh tasks.

    Raises:
        ValueError: a set has fewer than two tasks.
    """
    means, errors = [], []
    for scores in (public, fresh):
        n = len(scores)
        if n < 2:
            raise ValueError(f"a comparison needs two tasks of each set, not {n}")
        centre = math.fsum(scores) / n
        means.append(centre)
        errors.append(math.fsum((s - centre) * (s - centre) for s in scores) / (n - 1) / n)
    difference, variance = means[0] - means[1], errors[0] + errors[1]
    if variance == 0.0:
        p = 1.0 if difference == 0 else 0.0
        return Gap(means[0], means[1], difference, difference, difference, p)
    shares = (errors[0] * errors[0] / (len(public) - 1), errors[1] * errors[1] / (len(fresh) - 1))
    freedom = variance * variance / (shares[0] + shares[1])
    error = math.sqrt(variance)
    half = student.quantile(0.05, freedom) * error
    p = student.two_sided(difference / error, freedom)
    return Gap(means[0], means[1], difference, difference - half, difference + half, p)


def power(
    public: Sequence[float], fresh: Sequence[float], tasks: int, stream: Stream, pairs: int = 1000
) -> float:
    """The share of simulated pairs of sets in which the agent is suspicious.

    Args:
        public: scores of an agent in played episodes of the public recipe.
        fresh: its scores in played episodes of fresh tasks.
        tasks: the size of each simulated set, drawn with replacement.
        stream: decides the draws.
        pairs: how many pairs of sets are drawn.
    """
    flagged = 0
    for _ in range(pairs):
        drawn = [[stream.choice(scores) for _ in range(tasks)] for scores in (public, fresh)]
        flagged += gap(*drawn).suspicious
    return flagged / pairs
