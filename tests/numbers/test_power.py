"""Power by simulation: against the closed form, and at its ends."""

from __future__ import annotations

import math

import pytest

from assay.numbers import rng
from assay.numbers.portable import norminv
from assay.numbers.power import paired_power, tasks_needed
from assay.numbers.stats import QUANTILE

POWER = 0.8416212335729143


def normal(mean: float, sd: float, n: int = 2000) -> list[int]:
    """Whole numbers with this mean and standard deviation: quantiles of the normal distribution."""
    return [round(mean + sd * float(norminv((at + 0.5) / n))) for at in range(n)]


@pytest.mark.parametrize(("mean", "sd"), [(500, 1000), (300, 1000), (200, 1000)])
def test_the_number_of_tasks_is_that_of_the_closed_form(mean: float, sd: float) -> None:
    expected = ((QUANTILE + POWER) * sd / mean) ** 2 + QUANTILE**2 / 2  # the second term: Student's t
    found = tasks_needed(normal(mean, sd), rng.stream(0, "closed form", int(mean)), simulations=4000)
    assert found == pytest.approx(expected, rel=0.08)


def test_without_a_difference_the_power_is_half_the_level() -> None:
    power = paired_power(normal(0, 1000), 50, rng.stream(0, "none"), 4000)
    assert power == pytest.approx(0.025, abs=3 * math.sqrt(0.025 * 0.975 / 4000))


def test_power_grows_with_the_number_of_tasks() -> None:
    powers = [paired_power(normal(300, 1000), n, rng.stream(0, "grows"), 1000) for n in (10, 40, 160)]
    assert powers == sorted(powers)
    assert powers[-1] > 0.9


@pytest.mark.parametrize("differences", [[0, 0, 0], [-5, 1], [1, -1]])
def test_what_is_no_better_is_never_told_apart(differences: list[int]) -> None:
    assert tasks_needed(differences, rng.stream(0, "never")) is None


def test_a_difference_too_small_for_ten_thousand_tasks_is_none() -> None:
    assert tasks_needed([*([1000, -1000] * 500), 1], rng.stream(0, "small"), simulations=100) is None
