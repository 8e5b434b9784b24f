"""The signed-rank test, the normal tail and the interval of Cliff's delta, against scipy and enumeration."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, wilcoxon

from assay.numbers import stats

RANDOM = np.random.default_rng(11)


@pytest.mark.parametrize("shift", [0.0, 0.4, 2.0])
@pytest.mark.parametrize("n", [1, 5, 12, 30])
def test_wilcoxon_agrees_with_scipy_without_ties(n, shift):
    for _ in range(5):
        differences = RANDOM.normal(shift, size=n).tolist()
        found = stats.wilcoxon(differences)
        reference = wilcoxon(differences, method="exact")
        assert min(found.doubled_positive / 2, n * (n + 1) / 2 - found.doubled_positive / 2) == (
            reference.statistic
        )
        assert float(found.p) == pytest.approx(reference.pvalue, rel=1e-12)
        assert (found.pairs, found.equal, found.exact) == (n, 0, True)


@given(st.lists(st.integers(-3, 3), max_size=9))
def test_wilcoxon_agrees_with_enumeration_given_ties_and_zeros(differences):
    left = [d for d in differences if d]
    sizes = sorted(abs(d) for d in left)
    rank = {s: Fraction(2 * sizes.index(s) + sizes.count(s) + 1, 2) for s in sizes}
    mean = sum((rank[s] for s in sizes), Fraction(0)) / 2

    def distance(signs):
        return abs(sum((rank[abs(d)] for d, s in zip(left, signs, strict=True) if s), Fraction(0)) - mean)

    observed = distance([d > 0 for d in left])
    ways = [distance(signs) >= observed for signs in product((False, True), repeat=len(left))]
    found = stats.wilcoxon(differences)
    assert found.p == Fraction(sum(ways), len(ways))
    assert (found.better, found.worse) == (sum(d > 0 for d in left), sum(d < 0 for d in left))
    assert found.equal == differences.count(0)


def test_wilcoxon_of_nothing_is_certain_of_nothing():
    assert stats.wilcoxon([]).p == stats.wilcoxon([0, 0.0]).p == 1
    with pytest.raises(ValueError, match="numbers"):
        stats.wilcoxon([1.0, math.nan])


def test_many_pairs_are_approximated_with_ties_corrected():
    differences = RANDOM.integers(-6, 9, size=400).tolist()
    found = stats.wilcoxon(differences)
    reference = wilcoxon(differences, method="asymptotic", correction=False)
    assert not found.exact
    assert float(found.p) == pytest.approx(reference.pvalue, rel=1e-9)


def test_the_approximation_meets_the_exact_test(monkeypatch):
    differences = RANDOM.normal(0.2, size=100).tolist()
    exact = stats.wilcoxon(differences)
    monkeypatch.setattr(stats, "EXACT_PAIRS", 99)
    rough = stats.wilcoxon(differences)
    assert (exact.exact, rough.exact) == (True, False)
    assert float(rough.p) == pytest.approx(float(exact.p), abs=3e-3)


@pytest.mark.parametrize("z", [0.0, 1e-9, 0.5, 1.96, 2.999, 3.0, 5.0, 12.0, 30.0])
def test_normal_tail(z):
    assert stats.normal_tail(z) == pytest.approx(norm.sf(z), rel=1e-12)


def test_normal_tail_ends():
    assert stats.normal_tail(50.0) == 0


def test_holm_of_fractions():
    ps = [Fraction(1, 8), Fraction(1, 100), Fraction(1, 30)]
    assert stats.holm_fractions(ps) == [Fraction(1, 8), Fraction(3, 100), Fraction(2, 30)]
    assert stats.holm_fractions([]) == []


def test_interval_of_cliffs_delta():
    """Newcombe's (2006) inequality holds with equality at both ends."""
    for doubled_u in (0, 40, 144, 200, 288):
        low, high = stats.dominance_interval(doubled_u, 12, 12)
        delta = doubled_u / 144 - 1
        assert -1 <= low <= delta <= high <= 1
        for end in (low, high):
            theta = (end + 1) / 2
            more = 11 * ((1 - theta) / (2 - theta) + theta / (1 + theta))
            spread = math.sqrt(theta * (1 - theta) * (1 + more) / 144)
            assert abs(theta - doubled_u / 288) <= 1.96 * spread + 1e-6
    assert stats.dominance_interval(288, 12, 12)[1] == 1
    assert stats.dominance_interval(288, 12, 12)[0] > 0.4
    low, high = stats.dominance_interval(150, 12, 12)
    mirrored = stats.dominance_interval(138, 12, 12)
    assert (low, high) == pytest.approx((-mirrored[1], -mirrored[0]))


def test_interval_covers_as_often_as_it_says():
    held = 0
    truth = 2 * norm.cdf(0.6 / math.sqrt(2)) - 1
    for _ in range(1000):
        found = stats.mann_whitney(RANDOM.normal(size=12), RANDOM.normal(0.6, size=12))
        low, high = stats.dominance_interval(found.doubled_u, 12, 12)
        held += low <= truth <= high
    assert 920 <= held <= 985
