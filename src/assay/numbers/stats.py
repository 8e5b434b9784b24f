"""Tests, effect sizes and intervals that more than one suite uses; nothing here depends on the processor.

Exact tests give their p as a fraction of whole numbers, and decisions compare whole numbers: no float
decides anything. `assay.numbers.ranks` decides many Mann-Whitney tests at once.
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

from assay.numbers.rng import GOLDEN, Stream

Values: TypeAlias = "Sequence[float] | np.ndarray[Any, Any]"

RESAMPLES = 1000

ONE_IN_TWENTY = (1, 20)
"""The level .05 as a fraction."""


@dataclass(frozen=True)
class RankTest:
    """A two-sided exact Mann-Whitney test of two samples, given the ties that occurred.

    `doubled_u` is twice U of the second sample (pairs in which it is larger, ties for a half);
    p = `numerator` / `denominator`; `pairs` is the number of pairs.
    """

    doubled_u: int
    pairs: int
    numerator: int
    denominator: int

    @property
    def u(self) -> float:
        """U of the second sample; whole or half."""
        return self.doubled_u / 2

    @property
    def p(self) -> float:
        """p as the nearest float."""
        return self.numerator / self.denominator

    @property
    def dominance(self) -> int:
        """Cliff's delta times `pairs`: pairs where the second sample is larger, less the opposite."""
        return self.doubled_u - self.pairs

    @property
    def delta(self) -> float:
        """Cliff's delta (Cliff 1993) in [-1, 1]: positive where the second sample is larger."""
        return self.dominance / self.pairs


def mann_whitney(first: Values, second: Values) -> RankTest:
    """Exact conditional test of two samples (Mann and Whitney 1947), ties by midranks.

    p is the share of all divisions of the pooled values whose rank sum lies at least as far from its mean.
    `ValueError` for an empty sample or a value that is no number.
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
    """The ways in which `k` pooled values have each doubled rank sum; `ties` are the sizes of equal runs."""
    n = sum(ties)
    wide = math.comb(n, k) >= 2**62  # then int64 would overflow, and Python's integers count
    ways = np.zeros((k + 1, k * (2 * n - k + 1) + 1), dtype=object if wide else np.int64)
    ways[0, 0] = 1
    below = 0
    for size in ties:
        doubled_rank = 2 * below + size + 1
        below += size
        for _ in range(size):
            ways[1:, doubled_rank:] += ways[:-1, :-doubled_rank].copy()
    return tuple(int(n) for n in ways[k])


@dataclass(frozen=True)
class SignedRankTest:
    """A two-sided Wilcoxon signed-rank test of paired differences, given the ties that occurred.

    `doubled_positive` is twice the rank sum of the positive differences; `better`, `worse` and `equal` count
    the pairs by sign; `exact` is false where p is the normal approximation.
    """

    doubled_positive: int
    better: int
    worse: int
    equal: int
    p: Fraction
    exact: bool

    @property
    def pairs(self) -> int:
        """Pairs that differ: the others say nothing and are left out."""
        return self.better + self.worse


EXACT_PAIRS = 100
"""Beyond, the normal approximation is within .003 of the exact p, and counting becomes slow."""


def wilcoxon(differences: Sequence[float]) -> SignedRankTest:
    """Wilcoxon's (1945) signed-rank test that differences are symmetric about 0; zeros dropped, midranks.

    Exact up to `EXACT_PAIRS` differences: p is the share of all assignments of signs whose rank sum lies at
    least as far from its mean. Beyond, normal with the variance corrected for ties. Differences that should
    be equal must be: scale floats to whole numbers first. `ValueError` for what is no number.
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
    total = n * (n + 1)  # of all doubled ranks
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
    """The assignments of signs that give each doubled sum of positive ranks; `ties` are sizes of equal runs.

    Of the doubled midranks of `sum(ties)` differences; the entries add up to 2 ** sum(ties).
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
    """The chance that a standard normal number exceeds z >= 0, to 14 digits; the same bits everywhere.

    By the series of the integral for small z, by the continued fraction of Mills' ratio for large.
    """
    from assay.numbers import portable  # compiled code, which the exact tests do without

    if z > 37.0:
        return 0.0  # of the order of the smallest normal float
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
    """Holm's (1979) adjusted p values of one family of exact p values, in the order given."""
    if not ps:
        return []
    denominator = math.lcm(*(p.denominator for p in ps))
    adjusted = holm([p.numerator * (denominator // p.denominator) for p in ps], denominator)
    return [Fraction(numerator, denominator) for numerator in adjusted]


def dominance_interval(doubled_u: int, first: int, second: int) -> tuple[float, float]:
    """A 95 % interval of Cliff's delta from the rank statistic alone: `doubled_u` is twice U of the second.

    The values of the parameter that the statistic does not contradict, with the variance of Hanley and McNeil
    (1982) at each: Newcombe's (2006) method 5, which stays within [-1, 1]. Sizes of both samples.
    """
    found = doubled_u / (2 * first * second)

    def contradicted(theta: float) -> bool:
        more = (second - 1) * (1 - theta) / (2 - theta) + (first - 1) * theta / (1 + theta)
        variance = theta * (1 - theta) * (1 + more) / (first * second)
        return (found - theta) * (found - theta) > QUANTILE * QUANTILE * variance

    ends = []
    for outer in (0.0, 1.0):
        inner = found
        for _ in range(60):
            middle = (inner + outer) / 2
            if contradicted(middle):
                outer = middle
            else:
                inner = middle
        ends.append(2 * inner - 1)
    return ends[0], ends[1]


QUANTILE = 1.959963984540054
"""Of the standard normal distribution, at .975."""


def wilson(hits: float, n: int) -> tuple[float | None, float | None]:
    """The 95 % interval of a share `hits` / `n` (Wilson 1927), within [0, 1]; None of nothing."""
    if n == 0:
        return None, None
    share, square = hits / n, QUANTILE * QUANTILE
    centre = (share + square / (2 * n)) / (1 + square / n)
    half = QUANTILE / (1 + square / n) * math.sqrt(share * (1 - share) / n + square / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def significant(numerator: int, denominator: int, level: tuple[int, int] = ONE_IN_TWENTY) -> bool:
    """Whether numerator / denominator < level, in whole numbers."""
    return numerator * level[1] < denominator * level[0]


def holm_in_families(ps: Sequence[Fraction], families: Sequence[Hashable]) -> list[Fraction]:
    """Holm-adjusted p-values in the order given, each corrected over the tests of its own family alone.

    Args:
        ps: exact p-values.
        families: the family of each; tests of equal families are corrected together.

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
    """Holm's (1979) adjusted p values of one family, in the order given, as numerators up to `denominator`.

    All p values are fractions of the same denominator.
    """
    adjusted = [0] * len(numerators)
    largest = 0
    for rank, at in enumerate(sorted(range(len(numerators)), key=lambda i: numerators[i])):
        largest = max(largest, numerators[at] * (len(numerators) - rank))
        adjusted[at] = min(largest, denominator)
    return adjusted


def dominance(first: Values, second: Values) -> int:
    """Cliff's delta times the number of pairs: a whole number, positive where the second sample is larger."""
    ordered = np.sort(np.asarray(first, dtype=np.float64))
    values = np.asarray(second, dtype=np.float64)
    smaller = np.searchsorted(ordered, values, side="left")
    larger = ordered.size - np.searchsorted(ordered, values, side="right")
    return int(smaller.sum() - larger.sum())


def sign_flip(differences: Sequence[int], stream: Stream, permutations: int = 5000) -> tuple[int, int]:
    """Two-sided permutation test that differences are symmetric about 0; p as (numerator, denominator).

    The statistic is the absolute sum. `differences` are whole numbers (scale floats first), so that ties are
    ties; a difference flips its sign where the stream's next bit, from the lowest of 64, is set.
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
    """Percentile interval of the mean of `values` (Efron 1979), seeded by the stream's key.

    Each resample adds its values in the order drawn, so that the sums have the same bits everywhere. The
    ends are order statistics, not interpolated. `ValueError` for fewer than two values.
    """
    if len(values) < 2:
        raise ValueError(f"an interval needs two values, not {len(values)}")
    data = np.asarray(values, dtype=np.float64)
    total = np.zeros(resamples)
    for column in range(len(data)):
        # One draw of every resample at a time: additions stay in one order and run over whole arrays.
        at = np.arange(1, resamples + 1, dtype=np.uint64) + np.uint64(column * resamples)
        total += data[_below(stream.key, at, len(data))]
    means = np.sort(total / len(data))
    tail = (1.0 - level) / 2.0
    low = int(tail * resamples + 1e-9)  # (1 - 0.9) / 2 is a little less than 0.05
    return float(means[low]), float(means[resamples - 1 - low])


def _below(key: int, at: np.ndarray, n: int) -> np.ndarray:
    """The integers in [0, n) that a stream with this key draws as its `at`-th; as `Stream.below`."""
    z = np.uint64(key) + at * np.uint64(GOLDEN)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return ((z >> np.uint64(32)) * np.uint64(n) >> np.uint64(32)).astype(np.int64)
