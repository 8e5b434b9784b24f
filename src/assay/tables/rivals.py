"""Pairwise comparison of agents: variation between passes, significance, smallest detectable difference.

A pass over a set consists of an agent's episodes with the same attempt number. The tables are the same
for every suite (`assay.tables.suite_tables`). Task sets are never pooled, and privileged agents are left out
of comparisons.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import pandas as pd

from assay import canonical
from assay.numbers import paired
from assay.numbers.passes import always_in, over_tasks
from assay.numbers.stats import QUANTILE, holm_in_families, wilcoxon
from assay.protocol import Tables
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import final, frame, mean

POWER = 0.8416212335729143
"""The quantile of the standard normal distribution at .80, the power of `detectable`."""

SCALE = 1e6
"""Scores are compared as integer multiples of 1 / SCALE, so that rounding errors are not differences."""

SET = Column("task_set", "string", "the set")

PASSES = Schema(
    "passes",
    2,
    (
        SET,
        Column("agent", "string", "who played"),
        Column("attempt", "int64", "which pass over the set; null for all together", nullable=True),
        Column("tasks", "int64", "tasks with a score"),
        Column("score", "float64", "mean of the headline score over tasks"),
        Column("solved", "float64", "share of tasks solved", nullable=True),
        Column(
            "always",
            "float64",
            "pass^k with k attempts, for all together: share of tasks solved in all of them, "
            "over tasks with k attempts",
            nullable=True,
        ),
        Column("lowest", "float64", "the lowest mean of a pass; of one pass, its own"),
        Column("highest", "float64", "the highest mean of a pass; of one pass, its own"),
        Column(
            "calls",
            "float64",
            "mean number of calls of all tools an episode, with that of the answer",
            unit="calls",
        ),
        Column("tokens", "float64", "mean tokens read and written; null for solvers", nullable=True),
    ),
    key=("task_set", "agent", "attempt"),
    partition="agent",
    doc="Score and cost of each agent, pass by pass: what another attempt would change.",
)

PAIRS = Schema(
    "pairs",
    2,
    (
        SET,
        Column("first", "string", "one agent"),
        Column("second", "string", "the other"),
        Column("tasks", "int64", "tasks that both played"),
        Column("margin", "float64", "mean score of the first less that of the second, over these tasks"),
        Column(
            "se",
            "float64",
            "standard error of the margin, clustered by task: attempts at a task are not independent; "
            "null for one task",
            nullable=True,
        ),
        Column("low", "float64", "lower end of its 95 % interval (Student's t over tasks)", nullable=True),
        Column("high", "float64", "upper end of the interval", nullable=True),
        Column("better", "int64", "tasks on which the first scored more (means over attempts)"),
        Column("worse", "int64", "tasks on which it scored less"),
        Column("p", "float64", "two-sided Wilcoxon signed-rank p, ties corrected", digits=6),
        Column(
            "p_holm",
            "float64",
            "the same, Holm's correction over all pairs of frozen agents of the set; pairs with an added "
            "agent are a family of their own",
            digits=6,
        ),
        Column("exact", "bool", "whether p is exact; else the normal approximation"),
        Column(
            "detectable",
            "float64",
            "the smallest mean difference that as many tasks and attempts show with 80 % power at .05 "
            "(normal approximation, from the spread of the differences); null for fewer than two tasks",
            nullable=True,
        ),
    ),
    key=("task_set", "first", "second"),
    agents=("first", "second"),
    doc="Every two agents that were not told the truth, paired over tasks.",
)

Scores = Mapping[tuple[str, str], Mapping[str, Mapping[int, float]]]
"""The score of each attempt, by set and agent, then by task."""


def passes(tables: Tables) -> Any:
    """Compute the table `passes` of a suite from its common tables."""
    scores, solved = _by_task(tables, "score"), _by_task(tables, "solved")
    costs = _costs(tables)
    rows: list[tuple[Any, ...]] = []
    for (task_set, agent), tasks in sorted(scores.items()):
        attempts = sorted({attempt for values in tasks.values() for attempt in values})
        means = {number: _mean_of(tasks, number) for number in attempts}
        for attempt in [None, *attempts]:
            chosen = attempts if attempt is None else [attempt]
            defined = [value for number in chosen if (value := means[number]) is not None]
            spent = [cost for number in chosen for cost in costs[task_set, agent, number]]
            rows.append(
                (
                    task_set,
                    agent,
                    attempt,
                    sum(any(number in values for number in chosen) for values in tasks.values()),
                    _mean_of(tasks, attempt),
                    _mean_of(solved.get((task_set, agent), {}), attempt),
                    _always(solved.get((task_set, agent), {}), len(chosen)),
                    min(defined),
                    max(defined),
                    mean([float(calls) for calls, _ in spent]) or 0.0,  # no session of a pass took place
                    mean([float(tokens) for _, tokens in spent if tokens is not None]),
                )
            )
    return frame(rows, PASSES).astype({"attempt": "Int64"})


def pairs(tables: Tables) -> Any:
    """Compute the table `pairs` of a suite from its common tables."""
    return frame(_rivals(tables), PAIRS)


def _rivals(tables: Tables) -> Iterator[tuple[Any, ...]]:
    privileged = {row.agent for row in tables["episodes"].itertuples(index=False) if row.privileged}
    added = tables.get("added", frozenset())
    scores = _by_task(tables, "score")
    for task_set in sorted({each for each, _ in scores}):
        agents = sorted(agent for each, agent in scores if each == task_set and agent not in privileged)
        family = []
        for first, second in combinations(agents, 2):
            ours, theirs = scores[task_set, first], scores[task_set, second]
            if both := sorted(ours.keys() & theirs.keys()):
                pairs = [(_mean(ours[task]), _mean(theirs[task])) for task in both]
                test = wilcoxon([whole(a) - whole(b) for a, b in pairs])
                differences = [a - b for a, b in pairs]
                family.append((first, second, differences, test))
        new = [bool(added & {first, second}) for first, second, *_ in family]
        adjusted = holm_in_families([test.p for *_, test in family], new)
        for (first, second, differences, test), p in zip(family, adjusted, strict=True):
            yield (
                task_set,
                first,
                second,
                len(differences),
                mean(differences),
                *_interval(differences),
                test.better,
                test.worse,
                float(test.p),
                float(p),
                test.exact,
                detectable(differences),
            )


def _interval(differences: Sequence[float]) -> tuple[float | None, float | None, float | None]:
    """Return the clustered standard error of a mean difference, and the ends of its interval."""
    by_task = paired.clustered(differences, range(len(differences)))
    interval = paired.student_interval(by_task)
    return by_task.error, interval.low, interval.high


def detectable(differences: Sequence[float]) -> float | None:
    """Return the smallest mean of paired differences that a two-sided test at .05 detects with 80 % power.

    It is (z(.975) + z(.80)) s / sqrt(n), with the standard deviation s of the n differences (Cohen 1988,
    2.3).

    Args:
        differences: The differences, one for each pair.

    Returns:
        The mean difference, or `None` for fewer than two pairs.

    Example:
        >>> round(detectable([0.1, 0.3, 0.2, 0.0]), 4)
        0.1808
    """
    n = len(differences)
    if n < 2:
        return None
    centre = math.fsum(differences) / n
    variance = math.fsum((d - centre) * (d - centre) for d in differences) / (n - 1)
    return (QUANTILE + POWER) * math.sqrt(variance / n)


def _by_task(tables: Tables, metric: str) -> Scores:
    scores: dict[tuple[str, str], dict[str, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for row in final(tables, metric):
        if row.value == row.value:  # not NaN
            scores[row.task_set, row.agent][row.task_id][row.attempt] = row.value
    return scores


def _costs(tables: Tables) -> Mapping[tuple[str, str, int], list[tuple[int, int | None]]]:
    """Return the calls and tokens (`None` if not counted) of every episode, by set, agent and attempt."""
    costs: dict[tuple[str, str, int], list[tuple[int, int | None]]] = defaultdict(list)
    for row in tables["episodes"].itertuples(index=False):
        unknown = pd.isna(row.tokens_in) or pd.isna(row.tokens_out)
        tokens = None if unknown else int(row.tokens_in) + int(row.tokens_out)
        calls = int(canonical.loads(row.counters).get("calls", 0))
        costs[row.task_set, row.agent, row.attempt].append((calls, tokens))
    return costs


def _mean_of(tasks: Mapping[str, Mapping[int, float]], attempt: int | None) -> float | None:
    """Return the mean over tasks for one attempt; for `None`, the mean of each task's mean over its
    attempts."""
    if attempt is None:
        return mean([_mean(values) for values in tasks.values()])
    return mean([values[attempt] for values in tasks.values() if attempt in values])


def _always(tasks: Mapping[str, Mapping[int, float]], attempts: int) -> float | None:
    """Return pass^k, where k is a number of attempts; see `assay.numbers.passes`."""
    successes = {task: [value == 1.0 for value in values.values()] for task, values in tasks.items()}
    return over_tasks(always_in, attempts, successes)[0]


def _mean(values: Mapping[int, float]) -> float:
    return math.fsum(values.values()) / len(values)


def whole(score: float) -> int:
    """Return the integer that is nearest to score * SCALE."""
    return math.floor(score * SCALE + 0.5)
