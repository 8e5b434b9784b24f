"""Public less fresh: does an agent score more in a public set than in fresh tasks of the same recipe?"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any

from assay.config.secret import SUFFIX as PRIVATE
from assay.numbers import student
from assay.numbers.rng import Stream
from assay.numbers.stats import QUANTILE
from assay.protocol import NEVER_SCORED, Tables, Yardstick, resolve
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import frame
from assay.validity.fresh import SUFFIX as KEPT
from assay.validity.fresh import Fresh, worth

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
    means, variance, freedom = _welch(public, fresh)
    difference = means[0] - means[1]
    if variance == 0.0:
        p = 1.0 if difference == 0 else 0.0
        return Gap(means[0], means[1], difference, difference, difference, p)
    error = math.sqrt(variance)
    half = student.quantile(0.05, freedom) * error
    p = student.two_sided(difference / error, freedom)
    return Gap(means[0], means[1], difference, difference - half, difference + half, p)


def power(
    public: Sequence[float], fresh: Sequence[float], tasks: int, stream: Stream, pairs: int = 1000
) -> float:
    """Return the share of simulated pairs of sets in which the agent is suspicious.

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
        flagged += _is_suspicious(*drawn)
    return flagged / pairs


def _welch(public: Sequence[float], fresh: Sequence[float]) -> tuple[tuple[float, float], float, float]:
    """Return both means, the variance of their difference, and its degrees of freedom (0 without spread)."""
    means, errors = [], []
    for scores in (public, fresh):
        n = len(scores)
        if n < 2:
            raise ValueError(f"a comparison needs two tasks of each set, not {n}")
        centre = math.fsum(scores) / n
        means.append(centre)
        errors.append(math.fsum((s - centre) * (s - centre) for s in scores) / (n - 1) / n)
    variance = errors[0] + errors[1]
    shares = errors[0] * errors[0] / (len(public) - 1) + errors[1] * errors[1] / (len(fresh) - 1)
    return (means[0], means[1]), variance, variance * variance / shares if shares else 0.0


def _is_suspicious(public: Sequence[float], fresh: Sequence[float]) -> bool:
    """`gap(...).suspicious` without the interval, whose quantile takes most of the time."""
    means, variance, freedom = _welch(public, fresh)
    difference = means[0] - means[1]
    if difference <= 0 or variance == 0.0:
        return difference > 0
    statistic = difference / math.sqrt(variance)
    # Student's quantile is never below the normal one, so most honest pairs need no p.
    return statistic > QUANTILE and student.two_sided(statistic, freedom) < LEVEL


def contamination(yardstick: Yardstick | str, tables: Tables) -> Any:
    """Compute the table `contamination`: who played a public set and fresh tasks of its recipe.

    Fresh tasks are those of a private set (`make fresh`), and those that were played once and kept
    (`assay.validity.fresh`). There is no row where the content of a set does not depend on a seed, because
    then there are no fresh tasks.

    Args:
        yardstick: How the suite's scores are read, or a reference to it (`assay.specs.resolve`).
        tables: The common tables of the suite.
    """
    kept: dict[str, Fresh] = {fresh.task_set: fresh for fresh in tables["fresh"]}
    sets = set(tables["episodes"]["task_set"])
    pairs = [(name, f"{name}{PRIVATE}") for name in sets if f"{name}{PRIVATE}" in sets]
    means = _means(resolve(yardstick), tables, {*kept, *(name for pair in pairs for name in pair)})
    rows: list[tuple[str, str, str, Sequence[float], Sequence[float]]] = []
    for public, hidden in pairs:
        rows += [
            (agent, public, hidden, means[agent, public], means[agent, hidden])
            for agent, task_set in means
            if task_set == public and (agent, hidden) in means
        ]
    for public, fresh in kept.items():
        rows += [
            (agent, public, f"{public}{KEPT}", means[agent, public], fresh.scores[agent])
            for agent, task_set in means
            if task_set == public and agent in fresh.scores
        ]
    return frame(
        (
            (agent, public, other, *astuple(gap(list(seen), list(unseen))))
            for agent, public, other, seen, unseen in sorted(rows, key=lambda row: row[:3])
            if min(len(seen), len(unseen)) > 1
        ),
        CONTAMINATION,
    )


def _means(yardstick: Yardstick, tables: Tables, sets: set[str]) -> dict[tuple[str, str], list[float]]:
    """Return the mean score over attempts at each task, by agent and set, without unscored episodes."""
    scores, flags, episodes = (tables[name] for name in ("scores", "audit", "episodes"))
    scores = scores[scores["task_set"].isin(sets) & (scores["metric"] == "score")]
    flags = flags[flags["task_set"].isin(sets)] if yardstick.gate else flags[:0]
    episodes = episodes[episodes["task_set"].isin(sets) & ~episodes["status"].isin(NEVER_SCORED)]
    counted: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for agent, own in episodes.groupby("agent"):
        scored, flagged = (table[table["agent"] == agent].to_dict("records") for table in (scores, flags))
        worths = worth(scored, flagged, yardstick)
        for row in own.sort_values(["task_set", "task_id", "attempt"]).itertuples(index=False):
            value = worths.get((row.task_set, row.task_id, row.attempt)) or 0.0
            counted[str(agent), row.task_set][row.task_id].append(float(value))
    return {
        key: [math.fsum(values) / len(values) for values in tasks.values()] for key, tasks in counted.items()
    }
