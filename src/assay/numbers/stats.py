"""Tests, effect sizes and intervals that more than one suite uses; no result depends on the processor.

Exact tests return p as a fraction of whole numbers, and decisions compare whole numbers, so rounding decides
nothing. `assay.numbers.ranks` decides many Mann-Whitney tests at once.

References:
    Cliff (1993), Dominance statistics. Efron (1979), Bootstrap methods. Hanley and McNeil (1982), The area
    under a ROC curve. Holm (1979), A simple sequentially rejective multiple test procedure. Mann and Whitney
    (1947), On a test of whether one of two random variables is stochastically larger. Newcombe (2006),
    Confidence intervals for an effect size measure based on the Mann-Whitney statistic. Wilcoxon (1945),
    Individual comparisons by ranking methods. Wilson (1927), Probable inference.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from assay.numbers.resampling import indices
from assay.numbers.rng import Stream

Values: TypeAlias = "Sequence[float] | np.ndarray[Any, Any]"

RESAMPLES = 1000

ONE_IN_TWENTY = (1, 20)
"""The level .05 as numerator and denominator."""

WIDEST = 2**104
"""Up to this many choices float64 tells the bits of a count above the low 64, since its error,
that of some 100 sums, is far below 2**63."""


@dataclass(frozen=True)
class RankTest:
    """The result of a two-sided exact Mann-Whitney test, conditional on the ties.

    Attributes:
        doubled_u: Twice U of the second sample: U counts the pairs in which the second value is larger, and
            half of the ties.
        pairs: The number of pairs, i.e. the product of the sample sizes.
        numerator: Numerator of p.
        denominator: Denominator of p.
    """

    doubled_u: int
    pairs: int
    numerator: int
    denominator: int

    @property
    def u(self) -> float:
        """U of the second sample, a multiple of 1/2."""
        return self.doubled_u / 2

    @property
    def p(self) -> float:
        """The two-sided p as the nearest float."""
        return self.numerator / self.denominator

    @property
    def dominance(self) -> int:
        """Cliff's delta times `pairs`: pairs with a larger second value minus pairs with a larger first
        value."""
        return self.doubled_u - self.pairs

    @property
    def delta(self) -> float:
        """Cliff's delta (Cliff 1993) in [-1, 1], positive if the second sample tends to be larger."""
        return self.dominance / self.pairs


def mann_whitney(first: Values, second: Values) -> RankTest:
    """Test whether two samples differ in location (Mann and Whitney 1947); ties get midranks.

    p is the share of all divisions of the pooled values into samples of these sizes whose rank sum is at
    least as far from its mean as the observed one.

    Args:
        first: The first sample.
        second: The second sample.

    Raises:
        ValueError: If a sample is empty or holds NaN.

    Example:
        >>> test = mann_whitney([1, 2, 3], [4, 5, 6])
        >>> test.u, test.p, test.delta
        (9.0, 0.1, 1.0)
    """
    a = np.asarray(first, dtype=np.float64)
    b = np.asarray(second, dtype=np.float64)
    if not a.size or not b.size or np.isnan(a).any() or np.isnan(b).any():
        raise ValueError("a rank test needs two samples of numbers")
    _, place, counts = np.unique(np.concatenate([a, b]), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    doubled_midranks = 2 * last - counts + 1
    doubled_sum = int(doubled_midranks[place[a.size :]].sum())
    ways = _rank_sums(tuple(counts.tolist()), b.size)
    doubled_mean = b.size * (a.size + b.size + 1)
    distance = abs(doubled_sum - doubled_mean)
    numerator = sum(n for total, n in enumerate(ways) if abs(total - doubled_mean) >= distance)
    return RankTest(
        doubled_u=doubled_sum - b.size * (b.size + 1),
        pairs=a.size * b.size,
        numerator=numerator,
        denominator=math.comb(a.size + b.size, b.size),
    )


@lru_cache(maxsize=4096)
def _rank_sums(ties: tuple[int, ...], k: int) -> tuple[int, ...]:
    """Count the choices of `k` pooled values by their doubled rank sum; `ties` are the sizes of runs of
    equals."""
    choices = math.comb(sum(ties), k)
    if choices < 2**62:
        return tuple(map(int, _counted(ties, k, np.int64)))
    if choices >= WIDEST:
        return tuple(map(int, _counted(ties, k, object)))
    # Python's integers would be 20 times slower. uint64 wraps around, so that it has the low 64 bits exactly,
    # and float64 is near enough to tell the bits above them.
    low, near = _counted(ties, k, np.uint64), _counted(ties, k, np.float64)
    high = np.rint((near - low.astype(np.float64)) / 2.0**64)
    return tuple(int(h) * 2**64 + int(n) for h, n in zip(high, low, strict=True))


def _counted(ties: tuple[int, ...], k: int, kind: type) -> np.ndarray:
    """Return the counts of `_rank_sums` in numbers of one kind: an array by doubled rank sum."""
    n = sum(ties)
    ways: np.ndarray = np.zeros((k + 1, k * (2 * n - k + 1) + 1), dtype=kind)
    ways[0, 0] = 1
    below, largest = 0, 0
    for size in ties:
        doubled_rank = 2 * below + size + 1
        for chosen in range(below, below + size):
            # Only numbers of choices that can still become `k`, and sums that were reached, are looked at.
            first, last = max(0, k - n + chosen), min(chosen + 1, k)
            end = min(largest + 1, ways.shape[1] - doubled_rank)
            ways[first + 1 : last + 1, doubled_rank : doubled_rank + end] += ways[first:last, :end].copy()
            largest = min(largest + doubled_rank, ways.shape[1] - 1)
        below += size
    counts: np.ndarray = ways[k]
    return counts


@dataclass(frozen=True)
class SignedRankTest:
    """The result of a two-sided Wilcoxon signed-rank test of paired differences, conditional on the ties.

    Attributes:
        doubled_positive: Twice the rank sum of the positive differences.
        better: The number of positive differences.
        worse: The number of negative differences.
        equal: The number of zeros.
        p: The two-sided p.
        exact: Whether p is exact; otherwise it is the normal approximation.
    """

    doubled_positive: int
    better: int
    worse: int
    equal: int
    p: Fraction
    exact: bool

    @property
    def pairs(self) -> int:
        """The number of pairs that differ; the test leaves out the others."""
        return self.better + self.worse


EXACT_PAIRS = 100
"""Largest number of differences for which p is exact.

For more, the normal approximation is within .003 of the exact p, and counting becomes slow.
"""


def wilcoxon(differences: Sequence[float]) -> SignedRankTest:
    """Test whether differences are symmetric about 0 (Wilcoxon 1945); zeros are dropped, ties get midranks.

    For at most `EXACT_PAIRS` differences, p is the share of all assignments of signs whose rank sum is at
    least as far from its mean as the observed one. For more, it is the normal approximation with the variance
    corrected for ties.

    Args:
        differences: The differences. Scale floats to whole numbers first, so that equal differences are
            equal.

    Raises:
        ValueError: If a difference is NaN.

    Example:
        >>> test = wilcoxon([3, 1, -2, 5, 0])
        >>> test.pairs, test.p, test.exact
        (4, Fraction(3, 8), True)
    """
    values = [d for d in differences if d != 0]
    if any(math.isnan(d) for d in values):
        raise ValueError("a signed-rank test needs numbers")
    runs = sorted(Counter(abs(d) for d in values).items())
    ties = tuple(length for _, length in runs)
    doubled_rank = {}
    below = 0
    for size, length in runs:
        doubled_rank[size] = 2 * below + length + 1
        below += length
    positive = sum(doubled_rank[abs(d)] for d in values if d > 0)
    n = len(values)
    total = n * (n + 1)  # the sum of all doubled ranks
    exact = n <= EXACT_PAIRS
    if exact:
        distance = abs(2 * positive - total)
        numerator = sum(m for s, m in enumerate(signed_rank_sums(ties)) if abs(2 * s - total) >= distance)
        p = Fraction(numerator, 2**n)
    else:
        squares = Fraction(n * (n + 1) * (2 * n + 1), 24) - Fraction(sum(t**3 - t for t in ties), 48)
        z = abs(2 * positive - total) / 4 / math.sqrt(squares)
        p = min(Fraction(1), 2 * Fraction(normal_tail(z)))
    better = sum(d > 0 for d in values)
    return SignedRankTest(positive, better, n - better, len(differences) - n, p, exact)


@lru_cache(maxsize=4096)
def signed_rank_sums(ties: tuple[int, ...]) -> tuple[int, ...]:
    """Count the assignments of signs to differences by the doubled rank sum of the positive ones.

    Args:
        ties: The sizes of runs of equal absolute differences, in ascending order of these.

    Returns:
        The count for each doubled sum from 0 to n (n + 1) with n = sum(ties); the counts add up to 2 ** n.

    Example:
        >>> signed_rank_sums((1, 1))
        (1, 0, 1, 0, 1, 0, 1)
    """
    n = sum(ties)
    ways = np.zeros(n * (n + 1) + 1, dtype=np.int64 if n < 62 else object)
    ways[0] = 1
    below = 0
    for size in ties:
        doubled_rank = 2 * below + size + 1
        below += size
        for _ in range(size):
            ways[doubled_rank:] += ways[:-doubled_rank].copy()
    return tuple(int(n) for n in ways)


def normal_tail(z: float) -> float:
    """Return the probability that a standard normal number exceeds z >= 0, to 14 digits.

    It is computed from the series of the integral for small z, and from the continued fraction of Mills'
    ratio for large z.

    Example:
        >>> round(normal_tail(1.959963984540054), 14)
        0.025
    """
    from assay.numbers import portable  # here, because exact tests need no compiled code

    if z > 37.0:
        return 0.0  # the probability is close to the smallest normal float
    density = portable.exp(-0.5 * z * z) * 0.3989422804014327  # 1 / sqrt(2 pi)
    if z < 3.0:
        term = total = z
        k = 1
        while term > 1e-17 * total:
            k += 2
            term *= z * z / k
            total += term
        return 0.5 - density * total
    ratio = 0.0
    for k in range(200, 0, -1):
        ratio = k / (z + ratio)
    return density / (z + ratio)


def holm_fractions(ps: Sequence[Fraction]) -> list[Fraction]:
    """Return Holm's (1979) adjusted p-values of one family of exact p-values, in the order given.

    Example:
        >>> holm_fractions([Fraction(1, 100), Fraction(4, 100), Fraction(3, 100)])
        [Fraction(3, 100), Fraction(3, 50), Fraction(3, 50)]
    """
    if not ps:
        return []
    denominator = math.lcm(*(p.denominator for p in ps))
    adjusted = holm([p.numerator * (denominator // p.denominator) for p in ps], denominator)
    return [Fraction(numerator, denominator) for numerator in adjusted]


def dominance_interval(doubled_u: int, first: int, second: int) -> tuple[float, float]:
    """Return a 95 % interval of Cliff's delta, computed from the rank statistic alone.

    This is Newcombe's (2006) method 5: the interval contains the values that a test at level .05 does not
    reject, with the variance of Hanley and McNeil (1982) at each value. It lies within [-1, 1].

    Args:
        doubled_u: Twice U of the second sample.
        first: The size of the first sample.
        second: The size of the second sample.

    Example:
        >>> low, high = dominance_interval(18, 3, 3)
        >>> round(low, 4), high
        (0.002, 1.0)
    """
    observed = doubled_u / (2 * first * second)

    def contradicted(theta: float) -> bool:
        more = (second - 1) * (1 - theta) / (2 - theta) + (first - 1) * theta / (1 + theta)
        variance = theta * (1 - theta) * (1 + more) / (first * second)
        return (observed - theta) * (observed - theta) > QUANTILE * QUANTILE * variance

    ends = []
    for outer in (0.0, 1.0):
        inner = observed
        for _ in range(60):
            middle = (inner + outer) / 2
            if contradicted(middle):
                outer = middle
            else:
                inner = middle
        ends.append(2 * inner - 1)
    return ends[0], ends[1]


QUANTILE = 1.959963984540054
"""The quantile of the standard normal distribution at .975."""


def wilson(hits: float, n: int) -> tuple[float | None, float | None]:
    """Return the 95 % interval (Wilson 1927) of the share `hits` / `n`; `None` for both ends if n is 0.

    Example:
        >>> [round(end, 4) for end in wilson(8, 10)]
        [0.4902, 0.9433]
    """
    if n == 0:
        return None, None
    share, square = hits / n, QUANTILE * QUANTILE
    centre = (share + square / (2 * n)) / (1 + square / n)
    half = QUANTILE / (1 + square / n) * math.sqrt(share * (1 - share) / n + square / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def significant(numerator: int, denominator: int, level: tuple[int, int] = ONE_IN_TWENTY) -> bool:
    """Return whether numerator / denominator < level, computed with whole numbers.

    Example:
        >>> significant(1, 20), significant(49, 1000)
        (False, True)
    """
    return numerator * level[1] < denominator * level[0]


def holm_in_families(ps: Sequence[Fraction], families: Sequence[Hashable]) -> list[Fraction]:
    """Return Holm's adjusted p-values in the order given, each corrected over the tests of its family only.

    Args:
        ps: Exact p-values.
        families: The family of each test; tests of equal families are corrected together.

    Example:
        >>> holm_in_families([Fraction(1, 100), Fraction(1, 50), Fraction(1, 100)], [0, 0, 1])
        [Fraction(1, 50), Fraction(1, 50), Fraction(1, 100)]
    """
    adjusted: list[Fraction] = [Fraction(0)] * len(ps)
    for family in set(families):
        members = [at for at, named in enumerate(families) if named == family]
        for at, p in zip(members, holm_fractions([ps[at] for at in members]), strict=True):
            adjusted[at] = p
    return adjusted


def holm(numerators: Sequence[int], denominator: int) -> list[int]:
    """Return Holm's (1979) adjusted p-values of one family, for p-values with a common denominator.

    Args:
        numerators: The numerators of the p-values.
        denominator: Their denominator.

    Returns:
        The numerators of the adjusted p-values, at most `denominator`, in the order given.

    Example:
        >>> holm([1, 4, 3], 100)
        [3, 6, 6]
    """
    adjusted = [0] * len(numerators)
    largest = 0
    for rank, at in enumerate(sorted(range(len(numerators)), key=lambda i: numerators[i])):
        largest = max(largest, numerators[at] * (len(numerators) - rank))
        adjusted[at] = min(largest, denominator)
    return adjusted


def dominance(first: Values, second: Values) -> int:
    """Return Cliff's delta times the number of pairs, positive if the second sample tends to be larger.

    Example:
        >>> dominance([1, 2, 3], [2, 3, 4])
        5
    """
    ordered = np.sort(np.asarray(first, dtype=np.float64))
    values = np.asarray(second, dtype=np.float64)
    smaller = np.searchsorted(ordered, values, side="left")
    larger = ordered.size - np.searchsorted(ordered, values, side="right")
    return int(smaller.sum() - larger.sum())


def sign_flip(differences: Sequence[int], stream: Stream, permutations: int = 5000) -> tuple[int, int]:
    """Test with random sign flips whether differences are symmetric about 0; the statistic is the absolute
    sum.

    Args:
        differences: At most 64 whole numbers. Scale floats first, so that equal sums are equal.
        stream: One draw flips the signs once: the i-th lowest bit decides on the i-th difference.
        permutations: The number of draws.

    Returns:
        The two-sided p as numerator and denominator; the observed signs count as one permutation.

    Raises:
        ValueError: If there are more than 64 differences.

    Example:
        >>> from assay.numbers.rng import stream
        >>> sign_flip([3, 4, 2, 5, 6], stream(0, "s"), 1000)
        (70, 1001)
    """
    values = np.asarray(differences, dtype=np.int64)
    if values.size > 64:
        raise ValueError(f"one draw flips at most 64 signs, not {values.size}")
    flips = np.array([stream.bits() for _ in range(permutations)], dtype=np.uint64)
    sums = np.zeros(permutations, dtype=np.int64)
    for i, value in enumerate(values.tolist()):
        sums += np.where((flips >> np.uint64(i)) & np.uint64(1), -value, value)
    as_far = int((np.abs(sums) >= abs(int(values.sum()))).sum())
    return 1 + as_far, 1 + permutations


def bootstrap_interval(
    values: Sequence[float], stream: Stream, resamples: int = RESAMPLES, level: float = 0.95
) -> tuple[float, float]:
    """Return the percentile bootstrap interval (Efron 1979) of the mean of `values`.

    A resample adds its values in the order in which they are drawn, so sums have the same bits everywhere.
    The ends are order statistics, without interpolation.

    Args:
        values: The sample.
        stream: Its key seeds the resampling; no draw is taken from it.
        resamples: The number of resamples.
        level: The coverage of the interval.

    Raises:
        ValueError: If there are fewer than two values.

    Example:
        >>> from assay.numbers.rng import stream
        >>> bootstrap_interval([1.0, 2.0, 3.0, 4.0], stream(0, "b"))
        (1.5, 3.5)
    """
    if len(values) < 2:
        raise ValueError(f"an interval needs two values, not {len(values)}")
    data = np.asarray(values, dtype=np.float64)
    total = np.zeros(resamples)
    for column in range(len(data)):
        # One draw of every resample at a time, so that additions keep their order and run over whole arrays.
        total += data[indices(stream.key, column * resamples + 1, resamples, len(data))]
    means = np.sort(total / len(data))
    tail = (1.0 - level) / 2.0
    low = int(tail * resamples + 1e-9)  # (1 - 0.9) / 2 is a little less than 0.05
    return float(means[low]), float(means[resamples - 1 - low])
