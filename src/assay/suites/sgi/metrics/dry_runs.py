"""Dry experiments: from tests passed and run times to PassAll@k, SER and AET."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

LEAST = (1, 3, 5)
"""The k of PassAll@k."""

TESTS = 5


def pass_all(passed: Sequence[int], k: int) -> float:
    """Share of items with at least k tests passed."""
    return sum(n >= k for n in passed) / len(passed)


def smooth_execution_rate(exit_zero: Sequence[int]) -> float:
    """Share of tests, over items, that ended by themselves."""
    return math.fsum(n / TESTS for n in exit_zero) / len(exit_zero)


@dataclass(frozen=True)
class Timed:
    """The run time of a test in seconds; null where it could not be started."""

    seconds: float | None
    exit_zero: bool = True


def objective_time(items: Sequence[Sequence[Timed]]) -> float | None:
    """Mean over items of the mean time of their clean runs; null where no item has any."""
    means = []
    for runs in items:
        clean = [run.seconds for run in runs if run.exit_zero and run.seconds is not None]
        if clean:
            means.append(math.fsum(clean) / len(clean))
    return math.fsum(means) / len(means) if means else None


def released_item_times(items: Sequence[Sequence[Timed]]) -> list[float]:
    """Of each item the mean over runs that took any time, -1 where there is none."""
    found = []
    for runs in items:
        taken = [run.seconds for run in runs if run.seconds is not None and run.seconds > 0]
        found.append(math.fsum(taken) / len(taken) if taken else -1.0)
    return found


def released_step_time(items: Sequence[Sequence[Timed]]) -> float | None:
    """What the released code prints while it runs: the mean over items above zero."""
    found = [value for value in released_item_times(items) if value > 0]
    return math.fsum(found) / len(found) if found else None


def released_summary_time(items: Sequence[Sequence[Timed]]) -> float | None:
    """What it reports in the end: the mean over all items, the -1 included."""
    found = released_item_times(items)
    return math.fsum(found) / len(found) if found else None
