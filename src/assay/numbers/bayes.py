"""Bayesian intervals for few tasks, by quadrature: no sampling, and the same bits on every processor.

With few tasks, the error of the mean is itself badly known. The models here bound what is unknown: a share
lies in [0, 1], and a score within its scale.

References:
    Gelman et al. (2013), Bayesian data analysis, sections 3.2 and 5.3.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from assay.numbers import portable
from assay.numbers.stats import normal_tail

SHARES = 200
"""Nodes of the quadrature over a share."""

CORRELATIONS = 40
"""Nodes of the quadrature over the correlation of attempts at one task."""

SPREADS = 200
"""Nodes of the quadrature over the standard deviation of differences."""


@dataclass(frozen=True)
class Posterior:
    """The mean of a posterior distribution and the ends of its central 95 %."""

    mean: float
    low: float
    high: float


def share(solved: Mapping[str, Sequence[bool]]) -> Posterior:
    """Return the posterior of the share of attempts that succeed, for tasks that differ in difficulty.

    The successes of a task are beta-binomial with mean m and correlation r = 1 / (a + b + 1) between attempts
    (Gelman et al. 2013, section 5.3); m and r are uniform on (0, 1) beforehand. Midpoint rule in both.

    Args:
        solved: Whether each attempt succeeded, by task.

    Raises:
        ValueError: If there is no attempt.

    Example:
        >>> posterior = share({"a": [True], "b": [True], "c": [False]})
        >>> [round(x, 3) for x in (posterior.mean, posterior.low, posterior.high)]
        [0.6, 0.194, 0.932]
    """
    counts: dict[tuple[int, int], int] = {}
    for attempts in solved.values():
        if attempts:
            key = sum(attempts), len(attempts)
            counts[key] = counts.get(key, 0) + 1
    if not counts:
        raise ValueError("there is no attempt")
    means = [(i + 0.5) / SHARES for i in range(SHARES)]
    correlations = [(j + 0.5) / CORRELATIONS for j in range(CORRELATIONS)]
    logs = [
        [
            math.fsum(number * _log_beta_binomial(c, n, m, r) for (c, n), number in counts.items())
            for r in correlations
        ]
        for m in means
    ]
    top = max(max(row) for row in logs)
    weights = [math.fsum(portable.exp(value - top) for value in row) for row in logs]
    return _summary(means, weights, 1.0 / SHARES)


def _log_beta_binomial(successes: int, attempts: int, mean: float, correlation: float) -> float:
    """Return the log-probability of the outcomes of one task, up to the binomial coefficient."""
    # Rising factorials of a = m (1 - r) / r, b = (1 - m) (1 - r) / r and a + b, each multiplied by r.
    a, b = mean * (1.0 - correlation), (1.0 - mean) * (1.0 - correlation)
    total = 0.0
    for i in range(successes):
        total += _log(a + i * correlation)
    for i in range(attempts - successes):
        total += _log(b + i * correlation)
    for i in range(attempts):
        total -= _log(1.0 - correlation + i * correlation)
    return total


@lru_cache(maxsize=1 << 18)
def _log(x: float) -> float:
    return float(portable.log(x))


def difference(differences: Sequence[float], scale: float) -> Posterior:
    """Return the posterior of the mean of paired differences, bounded by the scale of the scores.

    Differences are normal with mean m and standard deviation s; beforehand, m is uniform on (-scale, scale)
    and s on (0, scale) (Gelman et al. 2013, section 3.2, with these priors in place of flat ones). For many
    tasks this is Student's interval. For few it is cautious, because a large s is as likely as a small one,
    and it exists for a single task, too. Given s, m is a truncated normal number, so that one quadrature over
    s gives every probability of m.

    Args:
        differences: The differences of the tasks.
        scale: The length of the scale of a score, 100 for points of 0 to 100.

    Raises:
        ValueError: If there is no difference, or one exceeds the scale.

    Example:
        >>> posterior = difference([10.0, 20.0, 30.0], 100.0)
        >>> [round(x, 1) for x in (posterior.mean, posterior.low, posterior.high)]
        [19.7, -20.3, 58.2]
    """
    n = len(differences)
    if not n or any(not -scale <= d <= scale for d in differences):
        raise ValueError("differences must lie within the scale, and there must be one")
    centre = math.fsum(differences) / n
    squares = math.fsum((d - centre) * (d - centre) for d in differences)
    spreads = [scale * (j + 0.5) / SPREADS for j in range(SPREADS)]
    # The density of s, with m integrated out over its range: s^(1 - n) exp(-squares / 2 s^2) times the share
    # of the normal distribution of m that lies within the scale.
    logs = [(1 - n) * _log(s / scale) - squares / (2.0 * s * s) for s in spreads]
    top = max(logs)
    errors = [s / math.sqrt(n) for s in spreads]
    weights = [portable.exp(value - top) for value in logs]
    outside = [_below(-scale, centre, error) for error in errors]
    total = math.fsum(
        w * (_below(scale, centre, e) - below) for w, e, below in zip(weights, errors, outside, strict=True)
    )

    def probability(m: float) -> float:
        return (
            math.fsum(
                w * (_below(m, centre, e) - below)
                for w, e, below in zip(weights, errors, outside, strict=True)
            )
            / total
        )

    low, high = (_solve(probability, p, -scale, scale) for p in (0.025, 0.975))
    # The mean of a truncated normal number differs from the centre by the densities at its ends.
    shift = math.fsum(
        w * e * (_density((-scale - centre) / e) - _density((scale - centre) / e))
        for w, e in zip(weights, errors, strict=True)
    )
    return Posterior(centre + shift / total, low, high)


def _density(z: float) -> float:
    """Return the density of the standard normal distribution."""
    return float(portable.exp(-0.5 * z * z)) * 0.3989422804014327  # 1 / sqrt(2 pi)


def _below(x: float, centre: float, error: float) -> float:
    """Return the probability that a normal number is below x."""
    z = (x - centre) / error
    return 1.0 - normal_tail(z) if z >= 0 else normal_tail(-z)


def _solve(probability: Callable[[float], float], p: float, low: float, high: float) -> float:
    for _ in range(40):
        middle = (low + high) / 2.0
        low, high = (low, middle) if probability(middle) >= p else (middle, high)
    return (low + high) / 2.0


def _summary(nodes: Sequence[float], weights: Sequence[float], width: float) -> Posterior:
    """Return mean and central 95 % of a density on midpoints, taken as constant on each interval."""
    total = math.fsum(weights)
    mean = math.fsum(x * w for x, w in zip(nodes, weights, strict=True)) / total
    ends = []
    for p in (0.025, 0.975):
        before = 0.0
        for x, w in zip(nodes, weights, strict=True):
            if before + w >= p * total:
                ends.append(x - width / 2.0 + width * (p * total - before) / w)
                break
            before += w
    return Posterior(mean, ends[0], ends[1])
