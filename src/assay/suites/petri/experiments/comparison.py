"""A/B experiments: the statistics of two arms, which agents see and on which task acceptance is based."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from assay.numbers.stats import RankTest, holm, mann_whitney, significant
from assay.suites.petri.experiments.replicates import mean

DIGITS = 6
"""Number of significant digits of the means that an agent is shown."""


Statistics = dict[str, float | bool | None]


@dataclass(frozen=True)
class Comparison:
    """Comparison of arm B with arm A in one metric.

    `test` is the exact Mann-Whitney test of that metric. After Holm's correction over all metrics of the
    world, p is `adjusted` / `test.denominator`.
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
        """The relative change of the mean from A to B, or None if A's mean is 0."""
        return relative(self.mean_a, self.mean_b)

    @property
    def direction(self) -> str:
        """`up` if B tends to be larger, `down` if it tends to be smaller, otherwise empty."""
        return ("down", "", "up")[(self.test.dominance > 0) - (self.test.dominance < 0) + 1]

    def shown(self) -> Statistics:
        """Return the statistics as a JSON value."""
        p = {"p": self.test.p, "p_adjusted": self.adjusted / self.test.denominator}
        return statistics(
            self.mean_a, self.mean_b, {"u": self.test.u, **p}, self.significant, self.test.delta
        )


def relative(before: float, after: float) -> float | None:
    """Return the relative change of a mean, or None if it was 0 before."""
    return (after - before) / abs(before) if before else None


def statistics(
    mean_a: float, mean_b: float, test: Mapping[str, float], significant: bool, delta: float
) -> Statistics:
    """Return the statistics that an agent is shown, without configurations, seeds and raw values."""
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
    """Compare two arms, each float64 (replicates, metrics), in the metric with this column index."""
    tests = [mann_whitney(a[:, column], b[:, column]) for column in range(a.shape[1])]
    adjusted = holm([test.numerator for test in tests], tests[metric].denominator)
    return Comparison(mean(a[:, metric]), mean(b[:, metric]), tests[metric], adjusted[metric])


def short(value: float) -> float:
    """Round a value to the significant digits that an agent is shown."""
    return float(format(value, f".{DIGITS}g"))
