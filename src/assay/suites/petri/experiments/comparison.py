"""A/B experiments: the statistics of two arms, as agents see them and as gates decide by them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from assay.numbers.stats import RankTest, holm, mann_whitney, significant
from assay.suites.petri.experiments.replicates import mean

DIGITS = 6
"""Significant digits of the means that an agent is shown."""


Statistics = dict[str, float | bool | None]


@dataclass(frozen=True)
class Comparison:
    """Arm B against arm A in one metric.

    `test` is the exact Mann-Whitney test of that metric; p = `adjusted` / `test.denominator` after Holm's
    correction over all metrics of the world.
    """

    mean_a: float
    mean_b: float
    test: RankTest
    adjusted: int

    @property
    def significant(self) -> bool:
        return significant(self.adjusted, self.test.denominator)

    @property
    def change(self) -> float | None:
        """The relative change of the mean from A to B; None where A's mean is 0."""
        return relative(self.mean_a, self.mean_b)

    @property
    def direction(self) -> str:
        """`up` where B tends to be larger, `down` where it tends to be smaller, empty where neither."""
        return ("down", "", "up")[(self.test.dominance > 0) - (self.test.dominance < 0) + 1]

    def shown(self) -> Statistics:
        """The statistics as a JSON value."""
        p = {"p": self.test.p, "p_adjusted": self.adjusted / self.test.denominator}
        return statistics(
            self.mean_a, self.mean_b, {"u": self.test.u, **p}, self.significant, self.test.delta
        )


def relative(before: float, after: float) -> float | None:
    """The relative change of a mean; None where it was 0."""
    return (after - before) / abs(before) if before else None


def statistics(
    mean_a: float, mean_b: float, test: Mapping[str, float], significant: bool, delta: float
) -> Statistics:
    """The statistics that an agent is shown: no configuration, no seed, no raw value."""
    change = relative(mean_a, mean_b)
    return {
        "mean_a": short(mean_a),
        "mean_b": short(mean_b),
        "relative_change": None if change is None else short(change),
        **test,
        "significant": significant,
        "cliffs_delta": short(delta),
    }


def compare(a: np.ndarray, b: np.ndarray, metric: int) -> Comparison:
    """Compare two arms, float64 (replicates, metrics), in the metric with that number."""
    tests = [mann_whitney(a[:, column], b[:, column]) for column in range(a.shape[1])]
    adjusted = holm([test.numerator for test in tests], tests[metric].denominator)
    return Comparison(mean(a[:, metric]), mean(b[:, metric]), tests[metric], adjusted[metric])


def short(value: float) -> float:
    """The value with the digits that an agent is shown."""
    return float(format(value, f".{DIGITS}g"))
