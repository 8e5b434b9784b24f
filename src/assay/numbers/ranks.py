"""Decisions of many exact Mann-Whitney tests (12 against 12 values, Holm's correction) in compiled code.

`assay.numbers.stats.mann_whitney` computes the p of one test. This module only decides, for thousands of
tests and mostly for values with ties. Three observations make that cheap:

* The rank sum is symmetric about its mean, whatever the ties. So p = 2 * (ways to a sum <= L) / C(24, 12),
  where L is the smaller of the doubled rank sum and its mirror image, and half the distribution is enough.
* Ties are a pattern of 23 bits (bit i: the sorted values i and i + 1 are equal). For each pattern that has
  occurred, a table keeps the largest L with p < .05 / m for every m that Holm's procedure can ask for.
* Holm's decision for one of five metrics does not need p, but only its level: the number of m in 1..5 with
  p < .05 / m. A metric with level 5 is significant whatever the others are, and one with level 0 is not.
"""

from __future__ import annotations

import numpy as np

from assay.numbers.kernels import kernel

ARM = 12
"""The number of values in a sample."""

METRICS = 5
"""The number of tests in a family."""

POOLED = 24
MIRROR = 600  # the doubled ranks of 1 .. 24 add up to this
HALF = 300
WAYS = 2704156  # C(24, 12)
INVERSE_LEVEL = 20
PATTERNS = 1 << 18  # places in the table of tie patterns
FULL = PATTERNS * 3 // 4  # if more places are taken, the results for new patterns are not stored
SPREAD = np.uint64(0x9E3779B97F4A7C15)
SHIFT = np.uint64(46)  # 64 - log2(PATTERNS)
FREE = -1


class Patterns:
    """A table of tie patterns and their critical sums, shared by all decisions of a process."""

    def __init__(self) -> None:
        self.keys = np.full(PATTERNS, FREE, dtype=np.int32)
        self.critical = np.zeros((PATTERNS, METRICS), dtype=np.int16)
        self.used = np.zeros(1, dtype=np.int64)


_known = Patterns()


def decide(
    control: np.ndarray, cell: np.ndarray, chosen: np.ndarray, metric: int, known: Patterns = _known
) -> np.ndarray:
    """Decide for each subsample whether a metric differs between two arms (level .05, Holm over five
    metrics).

    Args:
        control: Values of the first arm, float64, shape (seeds, 5).
        cell: Values of the second arm, float64, shape (seeds, 5).
        chosen: The rows that each subsample takes from both arms, int64, shape (subsamples, 12).
        metric: The column that is tested.
        known: The table of tie patterns.

    Returns:
        Whether the metric differs, bool, shape (subsamples,).
    """
    out = np.empty(len(chosen), dtype=np.bool_)
    _decide(control, cell, chosen, metric, known.keys, known.critical, known.used, out)
    return out


@kernel
def _critical_sums(pattern: int, ways: np.ndarray, out: np.ndarray) -> None:
    """Compute for m = 1 .. 5 the largest L with 2 * (ways to a sum <= L) / WAYS < .05 / m, else -1."""
    ways[:, :] = 0
    ways[0, 0] = 1
    first = 0
    for i in range(POOLED):
        if i == POOLED - 1 or not (pattern >> i) & 1:  # values first .. i are equal
            rank = first + i + 2
            for j in range(first, i + 1):
                for k in range(min(j + 1, ARM), 0, -1):
                    for total in range(HALF - rank):
                        ways[k, total + rank] += ways[k - 1, total]
            first = i + 1
    for m in range(METRICS):
        out[m] = -1
    tail = 0
    for total in range(HALF):
        tail += 2 * ways[ARM, total]
        for m in range(METRICS):
            if tail * (m + 1) * INVERSE_LEVEL < WAYS:
                out[m] = total


@kernel
def _look_up(
    pattern: int,
    keys: np.ndarray,
    critical: np.ndarray,
    used: np.ndarray,
    ways: np.ndarray,
    spare: np.ndarray,
) -> np.ndarray:
    """Return the critical sums of a pattern, from the table if it has them."""
    at = np.int64((np.uint64(pattern) * SPREAD) >> SHIFT)
    while keys[at] != FREE:
        if keys[at] == pattern:
            return critical[at]  # type: ignore[no-any-return]
        at = (at + 1) & (PATTERNS - 1)
    if used[0] >= FULL:
        _critical_sums(pattern, ways, spare)
        return spare
    _critical_sums(pattern, ways, critical[at])
    keys[at] = pattern
    used[0] += 1
    return critical[at]  # type: ignore[no-any-return]


@kernel
def _level(
    control: np.ndarray,
    cell: np.ndarray,
    rows: np.ndarray,
    metric: int,
    values: np.ndarray,
    second: np.ndarray,
    keys: np.ndarray,
    critical: np.ndarray,
    used: np.ndarray,
    ways: np.ndarray,
    spare: np.ndarray,
) -> int:
    """Return the number of m in 1 .. 5 for which the test of one metric has p < .05 / m."""
    for i in range(ARM):  # insertion sort of the pooled values; `second` marks those of the second arm
        for arm in range(2):
            value = cell[rows[i], metric] if arm else control[rows[i], metric]
            at = 2 * i + arm
            while at > 0 and values[at - 1] > value:
                values[at] = values[at - 1]
                second[at] = second[at - 1]
                at -= 1
            values[at] = value
            second[at] = arm
    pattern = 0
    total = 0
    first = 0
    inside = 0
    for i in range(POOLED):
        inside += second[i]
        if i < POOLED - 1 and values[i] == values[i + 1]:
            pattern |= 1 << i
        else:
            total += inside * (first + i + 2)
            first = i + 1
            inside = 0
    nearest = min(total, MIRROR - total)
    bounds = _look_up(pattern, keys, critical, used, ways, spare)
    level = 0
    for m in range(METRICS):
        level += nearest <= bounds[m]
    return level


@kernel
def _decide(
    control: np.ndarray,
    cell: np.ndarray,
    chosen: np.ndarray,
    metric: int,
    keys: np.ndarray,
    critical: np.ndarray,
    used: np.ndarray,
    out: np.ndarray,
) -> None:
    values = np.empty(POOLED)
    second = np.empty(POOLED, np.int64)
    ways = np.empty((ARM + 1, HALF), np.int32)
    spare = np.empty(METRICS, np.int16)
    levels = np.empty(METRICS, np.int64)
    for s in range(chosen.shape[0]):
        rows = chosen[s]
        tested = _level(control, cell, rows, metric, values, second, keys, critical, used, ways, spare)
        if tested == 0 or tested == METRICS:
            out[s] = tested == METRICS
            continue
        for other in range(METRICS):
            levels[other] = tested
            if other != metric:
                levels[other] = _level(
                    control, cell, rows, other, values, second, keys, critical, used, ways, spare
                )
        rejected = 0  # Holm: with r rejected, the next smallest p is compared with .05 / (5 - r)
        while rejected < METRICS:
            enough = 0
            for other in range(METRICS):
                enough += levels[other] >= METRICS - rejected
            if enough <= rejected:
                break
            rejected += 1
        out[s] = rejected == METRICS or tested >= METRICS - rejected
