"""The paired design: runs with the same seed in both arms form pairs for Wilcoxon's signed-rank test.

The paper's experiments run both arms on the same seeds but compare them as unpaired samples; section 3.3
names a paired test as future work. Here it is an option of `experiment` in sets of the variant `paired`. The
gain depends on how strongly the seed determines a run; in chaotic worlds there is none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from assay.numbers.stats import SignedRankTest, holm_fractions, mann_whitney, signed_rank_sums, wilcoxon
from assay.suites.petri.experiments.comparison import Statistics, relative, statistics
from assay.suites.petri.experiments.curves import menu
from assay.suites.petri.experiments.oracle import SAMPLE, Sample, chosen, detected, oracle_cell
from assay.suites.petri.experiments.replicates import mean, scaled
from assay.suites.petri.worlds import WORLDS, Config

LEVEL = Fraction(1, 20)
PAIRS = 12
DENOMINATOR = 2**PAIRS
"""Common denominator of all exact p with at most 12 pairs that differ."""


@dataclass(frozen=True)
class PairedComparison:
    """Comparison of arm B with arm A in one metric, paired by seed; `adjusted` is p after Holm's correction.

    Cliff's delta is that of the unpaired arms, so that effects are comparable between both designs.
    """

    mean_a: float
    mean_b: float
    test: SignedRankTest
    adjusted: Fraction
    delta: float

    @property
    def significant(self) -> bool:
        return self.adjusted < LEVEL

    @property
    def change(self) -> float | None:
        """The relative change of the mean from A to B, or None if A's mean is 0."""
        return relative(self.mean_a, self.mean_b)

    @property
    def direction(self) -> str:
        """`up` if B tends to be larger, `down` if it tends to be smaller, otherwise empty."""
        return ("down", "", "up")[(self.delta > 0) - (self.delta < 0) + 1]

    def shown(self) -> Statistics:
        """Return the statistics as a JSON value; `w` is the rank sum of the seeds on which B is larger."""
        w, p, adjusted = self.test.doubled_positive / 2, float(self.test.p), float(self.adjusted)
        test = {"w": w, "p": p, "p_adjusted": adjusted}
        return statistics(self.mean_a, self.mean_b, test, self.significant, self.delta)


def compare_paired(a: np.ndarray, b: np.ndarray, metric: int) -> PairedComparison:
    """Compare two arms, each float64 (seeds, metrics), in the metric with this column index."""
    tests = [wilcoxon((scaled(b[:, column]) - scaled(a[:, column])).tolist()) for column in range(a.shape[1])]
    adjusted = holm_fractions([test.p for test in tests])
    return PairedComparison(
        mean_a=mean(a[:, metric]),
        mean_b=mean(b[:, metric]),
        test=tests[metric],
        adjusted=adjusted[metric],
        delta=mann_whitney(a[:, metric], b[:, metric]).delta,
    )


def detected_paired(world: str, metric: str, config: Config, sample: Sample) -> np.ndarray:
    """Return for each subsample whether the paired test detects the configuration's effect on the metric.

    This corresponds to `oracle.detected`, but with the signed-rank test: it uses the same subsamples and
    Holm's correction over the world's metrics.
    """
    control = oracle_cell(world, WORLDS[world].control, sample)
    cell = oracle_cell(world, config, sample)
    differences = (scaled(cell) - scaled(control))[chosen(sample)]
    numerators = np.stack([_numerators(differences[:, :, m]) for m in range(differences.shape[2])], axis=1)
    return _holm_decides(numerators, WORLDS[world].metrics.index(metric))


def gain(world: str, metric: str, sample: Sample = SAMPLE) -> tuple[int, float, float]:
    """Return the number of driver steps with unpaired power from 0.05 to 0.95, and both tests' mean power."""
    powers = []
    for parameter, sides in menu(world, metric).items():
        for steps in sides.values():
            for step in steps:
                if 0.05 <= step.power <= 0.95:
                    config = WORLDS[world].resolved({parameter: step.value})
                    both = [detect(world, metric, config, sample) for detect in (detected, detected_paired)]
                    powers.append([int(values.sum()) / sample.subsamples for values in both])
    unpaired, paired = (math.fsum(values) / len(powers) for values in zip(*powers, strict=True))
    return len(powers), unpaired, paired


def _numerators(differences: np.ndarray) -> np.ndarray:
    """Return the exact signed-rank p of every row (int64, rows by 12) as numerators over DENOMINATOR."""
    size = np.abs(differences)
    differs = size > 0
    less = (size[:, None, :] < size[:, :, None]) & differs[:, None, :]
    same = (size[:, None, :] == size[:, :, None]) & differs[:, None, :]
    doubled_ranks = 2 * less.sum(axis=2) + same.sum(axis=2) + 1
    positive = np.where(differences > 0, doubled_ranks, 0).sum(axis=1)
    ordered = np.sort(size, axis=1)
    # The tie pattern encodes which neighbours in sorted order are equal, and the number of zeros.
    bits = (ordered[:, 1:] == ordered[:, :-1]) @ (1 << np.arange(PAIRS - 1))
    pattern = bits * (PAIRS + 1) + (~differs).sum(axis=1)
    out = np.empty(len(differences), dtype=np.int64)
    for value in np.unique(pattern).tolist():
        rows = pattern == value
        out[rows] = _tails(*divmod(value, PAIRS + 1))[positive[rows]]
    return out


@lru_cache(maxsize=1 << 13)
def _tails(bits: int, zeros: int) -> np.ndarray:
    """Return p for each doubled positive rank sum as numerators over DENOMINATOR, for one tie pattern."""
    ties: list[int] = []
    for at in range(zeros, PAIRS):
        if at > zeros and (bits >> (at - 1)) & 1:
            ties[-1] += 1
        else:
            ties.append(1)
    ways = np.array(signed_rank_sums(tuple(ties)), dtype=np.int64)
    distance = np.abs(2 * np.arange(len(ways)) - (len(ways) - 1))
    order = np.argsort(-distance, kind="stable")
    reached = np.cumsum(ways[order])
    last = {int(d): int(n) for d, n in zip(distance[order], reached, strict=True)}
    return np.array([last[int(d)] << zeros for d in distance], dtype=np.int64)


def _holm_decides(numerators: np.ndarray, metric: int) -> np.ndarray:
    """Decide for each row whether the metric is significant after Holm's correction over the row."""
    m = numerators.shape[1]
    ordered = np.sort(numerators, axis=1)
    adjusted = np.maximum.accumulate(ordered * (m - np.arange(m)), axis=1)
    rank = (ordered < numerators[:, [metric]]).sum(axis=1)
    decided: np.ndarray = adjusted[np.arange(len(ordered)), rank] * LEVEL.denominator < DENOMINATOR
    return decided
