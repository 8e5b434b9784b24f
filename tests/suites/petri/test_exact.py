"""The tests of petri against SciPy's exact methods, on runs of the worlds: 300 of each kind."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import mannwhitneyu, wilcoxon

from assay.suites.petri.experiments.comparison import compare
from assay.suites.petri.experiments.pairing import compare_paired
from assay.suites.petri.experiments.replicates import replicates
from assay.suites.petri.worlds import MARKET

TESTS = 300
CONFIGS = ({}, {"chart_noise": 1.6}, {"impact": 0.011})


@pytest.fixture(scope="module")
def arms():
    """Pairs of arms of 12 runs: the control and three configurations, on the same seeds."""
    pairs = []
    for k in range(TESTS):
        seeds = range(1000 + 24 * k, 1012 + 24 * k)
        other = range(1012 + 24 * k, 1024 + 24 * k) if not CONFIGS[k % 3] else seeds
        config = MARKET.resolved(CONFIGS[k % 3])
        pairs.append((replicates("market", MARKET.control, seeds), replicates("market", config, other)))
    return pairs


def test_mann_whitney_is_exact(arms):
    for k, (a, b) in enumerate(arms):
        column = k % 5
        expected = mannwhitneyu(b[:, column], a[:, column], method="exact")
        result = compare(a, b, column).test
        assert len({*a[:, column], *b[:, column]}) == 24, "without ties, for which SciPy is not exact"
        assert result.u == expected.statistic
        assert result.p == pytest.approx(expected.pvalue, rel=1e-12)


def test_the_signed_rank_test_is_exact(arms):
    for k, (a, b) in enumerate(arms):
        difference = b[:, k % 5] - a[:, k % 5]
        assert len(set(np.abs(difference))) == 12
        expected = wilcoxon(difference, method="exact")
        result = compare_paired(a, b, k % 5).test
        assert min(result.doubled_positive / 2, 78 - result.doubled_positive / 2) == expected.statistic
        assert float(result.p) == pytest.approx(expected.pvalue, rel=1e-12)
