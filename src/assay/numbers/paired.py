"""The difference of two agents that played the same tasks: error, intervals, tests and planning.

An agent's score on a task is the mean over its attempts, and a difference is the first agent's score less
the second's. Tasks of one cluster (a world, a paper, a template) may be alike, so errors are computed over
clusters; by default, each task is a cluster of its own. Attempts at one task are never taken for independent.

References:
    Miller (2024), Adding error bars to evals. Cameron and Miller (2015), A practitioner's guide to
    cluster-robust inference. Efron and Tibshirani (1993), An introduction to the bootstrap.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from assay.numbers import student
from assay.numbers.resampling import indices
from assay.numbers.rng import Stream
from assay.numbers.stats import QUANTILE, SignedRankTest, wilcoxon

Scores = Mapping[str, Sequence[float]]
"""The scores of an agent's attempts, by task."""

SCALE = 1e6
"""Differences are tested as whole multiples of 1 / SCALE, so that rounding errors are no differences."""

POWER = 0.8416212335729143
"""The quantile of the standard normal distribution at .80."""

RESAMPLES = 2000


@dataclass(frozen=True)
class Clusters:
    """Values in clusters, as sums and sizes, in the order in which the clusters first occur.

    Attributes:
        sums: float64 (clusters,), the sum of the values of each cluster.
        sizes: float64 (clusters,), the number of values of each cluster.
    """

    sums: np.ndarray[Any, np.dtype[np.float64]]
    sizes: np.ndarray[Any, np.dtype[np.float64]]

    @property
    def mean(self) -> float:
        """The mean of all values."""
        return math.fsum(self.sums) / math.fsum(self.sizes)

    @property
    def error(self) -> float | None:
        """The standard error of the mean, clustered; None for fewer than two clusters.

        It is sqrt(C / (C - 1) sum_c (S_c - n_c m)^2) / n with the sum S_c and the size n_c of cluster c, the
        mean m of all n values and C clusters (Miller 2024, appendix A, with the correction for few clusters).
        """
        count = len(self.sums)
        if count < 2:
            return None
        deviations = self.sums - self.sizes * self.mean
        total = math.fsum(float(d) * float(d) for d in deviations)
        return math.sqrt(total * count / (count - 1)) / math.fsum(self.sizes)


def clustered(values: Sequence[float], clusters: Sequence[Hashable]) -> Clusters:
    """Collect values in their clusters.

    Args:
        values: The values, for example the scores of one agent's episodes.
        clusters: The cluster of each value, for example its task.

    Example:
        >>> of_tasks = clustered([1.0, 0.0, 1.0, 1.0], ["a", "a", "b", "b"])
        >>> of_tasks.mean, of_tasks.error
        (0.75, 0.25)
    """
    members: dict[Hashable, list[float]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        members.setdefault(cluster, []).append(value)
    return Clusters(
        np.array([math.fsum(group) for group in members.values()]),
        np.array([float(len(group)) for group in members.values()]),
    )


@dataclass(frozen=True)
class Interval:
    """An interval of 95 % and the name of its method; an end is None where the method gives none."""

    low: float | None
    high: float | None
    method: str


def student_interval(of: Clusters) -> Interval:
    """Return the interval of the mean by Student's t with one degree of freedom less than clusters.

    Example:
        >>> interval = student_interval(clustered([1.0, 2.0, 3.0], "abc"))
        >>> round(interval.low, 4), round(interval.high, 4)
        (-0.4841, 4.4841)
    """
    if of.error is None:
        return Interval(None, None, "t")
    half = student.quantile(0.05, len(of.sums) - 1) * of.error
    return Interval(of.mean - half, of.mean + half, "t")


def percentile_interval(of: Clusters, stream: Stream, resamples: int = RESAMPLES) -> Interval:
    """Return the percentile bootstrap interval of the mean (Efron and Tibshirani 1993, chapter 13).

    Args:
        of: The values; whole clusters are drawn with replacement.
        stream: Its key decides the draws.
        resamples: The number of resamples.

    Example:
        >>> from assay.numbers.rng import stream
        >>> percentile_interval(clustered([1.0, 2.0, 3.0, 4.0], "abcd"), stream(0, "b"))
        Interval(low=1.5, high=3.5, method='percentile bootstrap')
    """
    method = "percentile bootstrap"
    if len(of.sums) < 2:
        return Interval(None, None, method)
    means, _ = _resampled(of, stream, resamples)
    low, high = _ends(np.sort(means))
    return Interval(low, high, method)


def studentised_interval(of: Clusters, stream: Stream, resamples: int = RESAMPLES) -> Interval:
    """Return the bootstrap-t interval of the mean (Efron and Tibshirani 1993, chapter 12).

    The quantiles of (m* - m) / se* over resamples take the place of Student's. Resamples without spread have
    no such ratio and are left out; ends are None where fewer than nine in ten resamples remain.

    Args:
        of: The values; whole clusters are drawn with replacement.
        stream: Its key decides the draws.
        resamples: The number of resamples.

    Example:
        >>> from assay.numbers.rng import stream
        >>> values = clustered([1.0, 2.0, 3.0, 4.0, 6.0, 9.0], "abcdef")
        >>> interval = studentised_interval(values, stream(0, "b"))
        >>> round(interval.low, 2), round(interval.high, 2)
        (1.49, 9.18)
    """
    method = "studentised bootstrap"
    if of.error is None:
        return Interval(None, None, method)
    means, errors = _resampled(of, stream, resamples)
    spread = errors > 1e-12 * of.error
    if spread.sum() < 0.9 * resamples:
        return Interval(None, None, method)
    low, high = _ends(np.sort((means[spread] - of.mean) / errors[spread]))
    return Interval(of.mean - high * of.error, of.mean - low * of.error, method)


def _resampled(of: Clusters, stream: Stream, resamples: int) -> tuple[Any, Any]:
    """Return the means and the clustered errors of the resamples: float64 (resamples,) each."""
    count = len(of.sums)
    sums, sizes, squares, products, square_sizes = (np.zeros(resamples) for _ in range(5))
    for draw in range(count):
        # One draw of every resample at a time, so that additions keep their order and run over whole arrays.
        chosen = indices(stream.key, draw * resamples + 1, resamples, count)
        s, n = of.sums[chosen] - of.mean * of.sizes[chosen], of.sizes[chosen]
        sums += s
        sizes += n
        squares += s * s
        products += s * n
        square_sizes += n * n
    shift = sums / sizes
    variance = squares - 2.0 * shift * products + shift * shift * square_sizes
    errors = np.sqrt(np.maximum(variance, 0.0) * count / (count - 1)) / sizes
    return of.mean + shift, errors


def _ends(ordered: np.ndarray[Any, Any]) -> tuple[float, float]:
    """Return the order statistics that leave 2.5 % on either side."""
    out = int(0.025 * len(ordered) + 1e-9)
    return float(ordered[out]), float(ordered[len(ordered) - 1 - out])


@dataclass(frozen=True)
class Comparison:
    """Two agents compared over the tasks that both played.

    Attributes:
        difference: The mean over tasks of the first agent's score less the second's.
        se: Its standard error over clusters; None for fewer than two clusters.
        interval: The interval of 95 % by Student's t.
        signed_rank: Wilcoxon's exact signed-rank test of the clusters' differences.
        sign: The exact two-sided p of the sign test of the same.
        t: The two-sided p of Student's t test; None without an error.
        clusters: The number of clusters.
        tasks: The number of tasks that both played.
        attempts: The number of attempts of both agents at these tasks.
        needed: Tasks that show this difference with 80 % power; None without a difference or an error.
        values: The differences of the tasks, in clusters, for further intervals.
    """

    difference: float
    se: float | None
    interval: Interval
    signed_rank: SignedRankTest
    sign: Fraction
    t: float | None
    clusters: int
    tasks: int
    attempts: int
    needed: int | None
    values: Clusters


def compare(first: Scores, second: Scores, clusters: Mapping[str, Hashable] | None = None) -> Comparison:
    """Compare two agents over the tasks that both played.

    Args:
        first: The attempts of the first agent.
        second: The attempts of the second agent.
        clusters: The cluster of each task; None where each task is a cluster of its own.

    Raises:
        ValueError: If there is no task that both played.

    Example:
        >>> result = compare({"a": [1.0, 0.0], "b": [1.0]}, {"a": [0.0], "b": [0.0], "c": [1.0]})
        >>> result.difference, result.se, result.tasks, result.attempts
        (0.75, 0.25, 2, 5)
    """
    tasks = sorted(first.keys() & second.keys())
    if not tasks:
        raise ValueError("there is no task that both agents played")
    differences = [_mean(first[task]) - _mean(second[task]) for task in tasks]
    groups = list(tasks) if clusters is None else [clusters[task] for task in tasks]
    values = clustered(differences, groups)
    means = [math.floor(s / n * SCALE + 0.5) for s, n in zip(values.sums, values.sizes, strict=True)]
    test = wilcoxon(means)
    error = values.error
    return Comparison(
        difference=values.mean,
        se=error,
        interval=student_interval(values),
        signed_rank=test,
        sign=sign_test(test.better, test.worse),
        t=None if error is None else _t_test(values.mean, error, len(values.sums) - 1),
        clusters=len(values.sums),
        tasks=len(tasks),
        attempts=sum(len(scores[task]) for scores in (first, second) for task in tasks),
        needed=None if error is None else needed_tasks(values.mean, error * math.sqrt(len(tasks))),
        values=values,
    )


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _t_test(mean: float, error: float, freedom: int) -> float:
    if error == 0.0:
        return 1.0 if mean == 0.0 else 0.0
    return student.two_sided(mean / error, freedom)


def sign_test(better: int, worse: int) -> Fraction:
    """Return the exact two-sided p of the sign test: twice the smaller binomial tail, at most 1.

    Args:
        better: The number of positive differences.
        worse: The number of negative differences; zeros are left out (Conover 1999, section 3.4).

    Example:
        >>> sign_test(5, 0), sign_test(2, 2)
        (Fraction(1, 16), Fraction(1, 1))
    """
    n = better + worse
    tail = sum(math.comb(n, k) for k in range(min(better, worse) + 1))
    return min(Fraction(1), Fraction(2 * tail, 2**n))


def needed_tasks(difference: float, spread: float) -> int | None:
    """Return the number of tasks that show a difference with 80 % power, two-sided at .05.

    It is the smallest n with (t(.975, n - 1) + z(.80)) spread / sqrt(n) <= |difference|: the normal formula
    (Cohen 1988, section 2.3) with Student's quantile for the level.

    Args:
        difference: The mean difference that is to be shown.
        spread: The standard deviation of the differences of tasks.

    Returns:
        The number, at least 2; None for no difference or for more than a million.

    Example:
        >>> needed_tasks(0.5, 1.0), needed_tasks(0.0, 1.0)
        (34, None)
    """
    most = 1_000_000
    if difference == 0.0:
        return None

    def shows(n: int) -> bool:
        # Above a thousand degrees of freedom, Student's quantile is the normal one to a thousandth.
        level = student.quantile(0.05, n - 1) if n <= 1000 else QUANTILE
        return (level + POWER) * spread <= abs(difference) * math.sqrt(n)

    low, high = 1, 2
    while not shows(high):
        low, high = high, 2 * high
        if low > most:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shows(middle) else (middle, high)
    return high


@dataclass(frozen=True)
class Plan:
    """Where the variance of a paired difference comes from.

    Attributes:
        between: The variance of the true differences of tasks, at least 0.
        within: The variance of one attempt at a task, both agents added; 0 where no task was tried twice.
    """

    between: float
    within: float

    def tasks(self, difference: float, attempts: int) -> int | None:
        """Return the tasks that show a difference with 80 % power at so many attempts of each agent.

        Example:
            >>> Plan(between=0.04, within=0.25).tasks(0.1, 1), Plan(between=0.04, within=0.25).tasks(0.1, 5)
            (230, 73)
        """
        return needed_tasks(difference, math.sqrt(self.between + self.within / attempts))


def plan(first: Scores, second: Scores) -> Plan:
    """Split the variance of the differences of tasks into that of tasks and that of attempts.

    The variance of attempts is pooled over tasks (one-way analysis of variance, Searle 1971, chapter 9); what
    it explains of the variance of the observed differences is subtracted, and a negative rest is 0.

    Example:
        >>> plan({"a": [1.0, 0.0], "b": [1.0, 1.0]}, {"a": [0.0], "b": [0.0]})
        Plan(between=0.0, within=0.25)
    """
    result = compare(first, second)
    tasks = sorted(first.keys() & second.keys())
    within = explained = 0.0
    for scores in (first, second):
        repeated = [scores[task] for task in tasks if len(scores[task]) > 1]
        freedom = sum(len(values) - 1 for values in repeated)
        if freedom:
            squares = math.fsum((v - _mean(values)) ** 2 for values in repeated for v in values)
            within += squares / freedom
            explained += squares / freedom * math.fsum(1.0 / len(scores[task]) for task in tasks) / len(tasks)
    observed = 0.0 if result.se is None else result.se * result.se * len(tasks)
    return Plan(between=max(0.0, observed - explained), within=within)
