"""Public less fresh: Welch's test against known values, and its power and false alarms by simulation."""

from __future__ import annotations

import pytest
from scipy import stats

from assay.numbers import rng
from assay.validity.contamination import gap, power

PUBLIC = (80.0, 95.0, 92.5, 100.0, 60.0, 85.0, 97.5, 90.0)
FRESH = (40.0, 70.0, 92.5, 30.0, 55.0, 80.0, 62.5)


def test_the_gap_is_that_of_welch() -> None:
    found = gap(PUBLIC, FRESH)
    expected = stats.ttest_ind(PUBLIC, FRESH, equal_var=False)
    interval = expected.confidence_interval()
    assert found.difference == pytest.approx(87.5 - 430 / 7)
    assert found.p == pytest.approx(expected.pvalue, rel=0.05)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), rel=0.01)
    assert found.suspicious


def test_fewer_points_in_the_public_set_are_not_suspicious() -> None:
    assert gap(FRESH, PUBLIC).p == gap(PUBLIC, FRESH).p
    assert not gap(FRESH, PUBLIC).suspicious


def test_without_any_spread_only_a_difference_counts() -> None:
    assert gap([1.0, 1.0], [1.0, 1.0]).p == 1.0
    assert gap([2.0, 2.0], [1.0, 1.0]).suspicious
    with pytest.raises(ValueError, match="two tasks"):
        gap([1.0], [1.0, 2.0])


def episodes(name: str, mean: float, n: int = 400) -> list[float]:
    stream = rng.stream(0, "episodes", name)
    return [100.0 if stream.uniform() < mean else 30.0 * stream.uniform() for _ in range(n)]


def test_who_knows_the_public_answers_is_flagged() -> None:
    known, unknown = [100.0] * 400, episodes("reader", 0.3)
    assert power(known, unknown, 30, rng.stream(0, "reader")) >= 0.95


def test_honest_agents_are_seldom_flagged() -> None:
    same = episodes("honest", 0.5)
    assert power(same, same, 30, rng.stream(0, "honest")) <= 0.05
