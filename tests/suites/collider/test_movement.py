"""The exact tests of two samples, against their definitions and by simulation."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from assay.numbers import rng
from assay.suites.collider.provenance.rules import movement


def test_one_bin_is_fishers_exact_test() -> None:
    # 3 of 4 and 0 of 4: two-sided, 2 x C(4, 3) / C(8, 3) = 1/7. One bin is also the total, hence the factor.
    assert movement.different([3], 4, [0], 4) == pytest.approx(2 / 7)
    assert movement.different([0], 4, [0], 4) == 1.0


def test_fishers_method_of_one_value_is_that_value() -> None:
    assert movement.fisher([0.03]) == pytest.approx(0.03)
    assert movement.fisher([0.1, 0.1]) == pytest.approx(0.01 * (1 - math.log(0.01)))
    assert movement.fisher([]) == 1.0


def test_weights_count_all_ways() -> None:
    weights = movement._weights(3, 5, 4)
    assert weights == {0: 4, 1: 30, 2: 40, 3: 10}
    assert sum(weights.values()) == math.comb(9, 3)
    assert movement._two_sided(0, 3, 5, 4) == Fraction(4, 84)


def test_levels_hold_for_honest_samples() -> None:
    stream = rng.stream(1, "movement")
    runs, small = 600, {"different": 0, "alike": 0, "constant": 0}
    for _ in range(runs):
        samples = [drawn(stream, (0.05, 0.02, 0.01), 200) for _ in range(4)]
        small["different"] += movement.different(samples[0], 200, samples[1], 200) < 0.05
        small["alike"] += movement.alike(samples[0], 200, samples[1], 200) < 0.05
        small["constant"] += movement.constant(samples, 200) < 0.05
    # At most 5 % each, with three standard errors of 600 runs.
    assert max(small.values()) <= runs * (0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)), small


def drawn(stream: rng.Stream, shares: tuple[float, ...], events: int) -> list[int]:
    """Counts of three bins of so many events."""
    counts = [0] * len(shares)
    for _ in range(events):
        u = stream.uniform()
        for k, share in enumerate(shares):
            if 0 <= u < share:
                counts[k] += 1
            u -= share
    return counts


def test_quotas_are_seen() -> None:
    assert movement.constant([[60, 40, 30, 20]] * 10, 500) < 1e-6
    assert movement.different([60, 40], 500, [6, 4], 500) < 1e-6
