"""Tests, effect sizes and intervals that more than one suite uses; nothing here depends on the processor.

Exact tests give their p as a fraction of whole numbers, and decisions compare whole numbers: no float
decides anything. `assay.ranks` decides many Mann-Whitney tests at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from assay.rng import GOLDEN, Stream

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


def significant(numerator: int, denominator: int, level: tuple[int, int] = ONE_IN_TWENTY) -> bool:
    """Whether numerator / denominator < level, in whole numbers."""
    return numerator * level[1] < denominator * level[0]


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
