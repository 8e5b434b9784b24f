"""Shares of tasks that an agent solves in one of k attempts, and in all of k attempts.

Both are estimated without bias from n >= k attempts at a task, c of which succeeded: averaged over all
choices of k of the n attempts.

References:
    Chen et al. (2021), Evaluating large language models trained on code (pass@k). Yao et al. (2024),
    tau-bench (pass^k).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction


def once_in(k: int, successes: int, attempts: int) -> Fraction:
    """Return pass@k of a task: the probability that one of k attempts succeeds, 1 - C(n - c, k) / C(n, k).

    Raises:
        ValueError: If there are fewer than k attempts.

    Example:
        >>> once_in(2, 1, 4)
        Fraction(1, 2)
    """
    return 1 - always_in(k, attempts - successes, attempts)


def always_in(k: int, successes: int, attempts: int) -> Fraction:
    """Return pass^k of a task: the probability that all of k attempts succeed, C(c, k) / C(n, k).

    Raises:
        ValueError: If there are fewer than k attempts.

    Example:
        >>> always_in(2, 3, 4)
        Fraction(1, 2)
    """
    if not 1 <= k <= attempts:
        raise ValueError(f"{attempts} attempts say nothing about {k}")
    return Fraction(math.comb(successes, k), math.comb(attempts, k))


def over_tasks(
    estimator: Callable[[int, int, int], Fraction], k: int, solved: Mapping[str, Sequence[bool]]
) -> tuple[float | None, int]:
    """Return the mean of an estimator over the tasks with at least k attempts, and the number of these tasks.

    Args:
        estimator: `once_in` or `always_in`.
        k: The number of attempts that it speaks of.
        solved: Whether each attempt succeeded, by task.

    Returns:
        The mean, None without such a task, and the number of tasks.

    Example:
        >>> over_tasks(always_in, 2, {"a": [True, True], "b": [True, False], "c": [True]})
        (0.5, 2)
    """
    values = [
        estimator(k, sum(attempts), len(attempts)) for attempts in solved.values() if len(attempts) >= k
    ]
    if not values:
        return None, 0
    return float(sum(values, Fraction(0)) / len(values)), len(values)
