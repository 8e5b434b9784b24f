"""Exact tests against scipy and against plain enumeration; intervals against the scalar generator."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from assay.numbers import ranks, stats
from assay.numbers.rng import Stream, stream

RANDOM = np.random.default_rng(7)
TWELVE = math.comb(24, 12)


@pytest.mark.parametrize("shift", [0.0, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("sizes", [(12, 12), (5, 9), (1, 20), (40, 37)])
def test_mann_whitney_agrees_with_scipy_without_ties(shift, sizes):
    for _ in range(10):
        a = RANDOM.normal(size=sizes[0])
        b = RANDOM.normal(shift, size=sizes[1])
        found = stats.mann_whitney(a, b)
        reference = mannwhitneyu(b, a, method="exact")
        assert found.u == reference.statistic
        assert found.p == pytest.approx(reference.pvalue, rel=1e-12)
        assert found.denominator == math.comb(sum(sizes), sizes[1])


def enumerated(a: list[int], b: list[int]) -> Fraction:
    """p by going through all divisions of the pooled values."""
    pooled = a + b

    def doubled_u(second: list[int], first: list[int]) -> int:
        return sum(2 * (y > x) + (y == x) for y in second for x in first)

    centre = len(a) * len(b)
    observed = abs(doubled_u(b, a) - centre)
    far = total = 0
    for chosen in combinations(range(len(pooled)), len(b)):
        second = [pooled[i] for i in chosen]
        first = [pooled[i] for i in range(len(pooled)) if i not in chosen]
        far += abs(doubled_u(second, first) - centre) >= observed
        total += 1
    return Fraction(far, total)


samples = st.lists(st.integers(0, 4), min_size=1, max_size=5)


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(samples, samples)
def test_mann_whitney_agrees_with_enumeration_given_ties(a, b):
    found = stats.mann_whitney(a, b)
    assert Fraction(found.numerator, found.denominator) == enumerated(a, b)
    assert found.dominance == sum((y > x) - (y < x) for y in b for x in a) == stats.dominance(a, b)
    other = stats.mann_whitney(b, a)
    assert (other.numerator, other.dominance) == (found.numerator, -found.dominance)


@pytest.mark.parametrize("levels", [3, 40, 1000])
def test_counts_beyond_64_bits_are_those_of_whole_numbers(levels):
    values = RANDOM.integers(0, levels, 96)
    ties = tuple(int(n) for n in np.unique(values, return_counts=True)[1])
    counts = stats._rank_sums(ties, 48)
    assert counts == tuple(map(int, stats._counted(ties, 48, object)))
    assert sum(counts) == math.comb(96, 48)


@pytest.mark.parametrize("wrong", [([], [1.0]), ([1.0], []), ([math.nan], [1.0])])
def test_mann_whitney_refuses_what_is_no_sample(wrong):
    with pytest.raises(ValueError, match="two samples"):
        stats.mann_whitney(*wrong)


def test_holm():
    # 30 * 2 stays below the largest before it: adjusted values do not fall
    assert stats.holm([10, 40, 30, 5], 1000) == [30, 60, 60, 20]
    assert stats.holm([600, 700], 1000) == [1000, 1000]
    assert stats.holm([], 1000) == []


def test_significant_decides_in_whole_numbers():
    assert stats.significant(49_999_999_999_999_999_999, 10**21)
    assert not stats.significant(50 * 10**18, 10**21)
    assert stats.significant(1, 101, level=(1, 100))


def arms(ties: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    scale = np.array([1e6, ties, 2.0, 1e6, 1.0])
    control = np.round(RANDOM.normal(size=(96, 5)) * scale)
    shift = np.array([0.9, 0.9, 0.9, 0.3, 0.0])
    cell = np.round((RANDOM.normal(size=(96, 5)) + shift) * scale)
    chosen = np.stack([RANDOM.permutation(96)[:12] for _ in range(150)])
    return control, cell, chosen


@pytest.mark.parametrize("metric", range(5))
@pytest.mark.parametrize("ties", [1.0, 4.0])
def test_many_decisions_are_those_of_one(metric, ties):
    control, cell, chosen = arms(ties)
    found = ranks.decide(control, cell, chosen, metric)
    assert metric > 2 or found.any()
    for rows, decision in zip(chosen, found, strict=True):
        tests = [stats.mann_whitney(control[rows, k], cell[rows, k]) for k in range(5)]
        adjusted = stats.holm([test.numerator for test in tests], TWELVE)
        assert stats.significant(adjusted[metric], TWELVE) == decision


def test_a_full_table_of_patterns_changes_nothing():
    control, cell, chosen = arms(3.0)
    full = ranks.Patterns()
    full.used[0] = ranks.FULL
    for metric in range(5):
        expected = ranks.decide(control, cell, chosen, metric, ranks.Patterns())
        assert (ranks.decide(control, cell, chosen, metric, full) == expected).all()
    assert (full.keys == ranks.FREE).all()


def test_sign_flip_agrees_with_all_flips():
    differences = [3, -1, 4, 1, 5, -2, 6, 5]
    far = sum(
        abs(sum(s * d for s, d in zip(signs, differences, strict=True))) >= abs(sum(differences))
        for signs in product((1, -1), repeat=8)
    )
    numerator, denominator = stats.sign_flip(differences, stream(1, "flips"), 20_000)
    assert denominator == 20_001
    exact = far / 2**8
    assert numerator / denominator == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 20_000))


def test_sign_flip_is_a_loop_over_bits():
    differences = [5, -3, 0, 7]
    expected = 1
    source = Stream(99)
    for _ in range(50):
        bits = source.bits()
        total = sum(-d if bits >> i & 1 else d for i, d in enumerate(differences))
        expected += abs(total) >= abs(sum(differences))
    assert stats.sign_flip(differences, Stream(99), 50) == (expected, 51)
    assert stats.sign_flip([0, 0, 0], Stream(1), 10) == (11, 11)
    with pytest.raises(ValueError, match="at most 64"):
        stats.sign_flip([1] * 65, Stream(1))


def test_bootstrap_is_a_loop_over_draws():
    values = [0.1, 0.2, 0.4, 0.8, 1.6]
    at = Stream(5)
    resamples = 40
    totals = [0.0] * resamples
    for _ in values:
        for k in range(resamples):
            totals[k] += values[at.below(len(values))]
    means = sorted(total / len(values) for total in totals)
    assert stats.bootstrap_interval(values, Stream(5), resamples, 0.9) == (means[2], means[37])


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_gives_the_published_intervals(hits, n, low, high):
    """Newcombe 1998, table I, method 3."""
    assert stats.wilson(hits, n) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


def test_wilson_of_nothing():
    assert stats.wilson(0, 0) == (None, None)
