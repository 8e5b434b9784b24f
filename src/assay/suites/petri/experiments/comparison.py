"""What an A/B experiment shows: the statistics of two arms, as an agent sees them and as a gate decides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.numbers.stats import RankTest, holm, mann_whitney, significant
from assay.suites.petri.experiments.replicates import mean

DIGITS = 6
"""Significant digits of the means that an agent is shown."""


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
        """The relative change of the mean from A to B; null where A's mean is 0."""
        return (self.mean_b - self.mean_a) / abs(self.mean_a) if self.mean_a else None

    @property
    def direction(self) -> str:
        """`up` where B tends to be larger, `down` where it tends to be smaller, empty where neither."""
        return ("down", "", "up")[(self.test.dominance > 0) - (self.test.dominance < 0) + 1]

    def shown(self) -> dict[str, float | bool | None]:
        """The statistics as a JSON value: no configuration, no seed, no raw value."""
        return {
            "mean_a": short(self.mean_a),
            "mean_b": short(self.mean_b),
            "relative_change": None if self.change is None else short(self.change),
            "u": self.test.u,
            "p": self.test.p,
            "p_adjusted": self.adjusted / self.test.denominator,
            "significant": self.significant,
            "cliffs_delta": short(self.test.delta),
        }


def compare(a: np.ndarray, b: np.ndarray, metric: int) -> Comparison:
    """Compare two arms, float64 (replicates, metrics), in the metric with that number."""
    tests = [mann_whitney(a[:, column], b[:, column]) for column in range(a.shape[1])]
    adjusted = holm([test.numerator for test in tests], tests[metric].denominator)
    return Comparison(mean(a[:, metric]), mean(b[:, metric]), tests[metric], adjusted[metric])


def short(value: float) -> float:
    """The value with the digits that an agent is shown."""
    return float(format(value, f".{DIGITS}g"))
