"""The metrics against numbers worked out by hand, and their identities on random arrays."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from assay.numbers import draws
from assay.suites.collider.formats import printed
from assay.suites.collider.measures import metrics, toys, uncertainty
from assay.suites.collider.measures.uncertainty import Errors
from assay.suites.collider.problems import catalogue

R = (1.0, 2.0, 2.0)


def arrays(n: int = 200) -> list[tuple[list[float], list[float]]]:
    draw = random.Random(8)
    return [
        ([draw.expovariate(1) for _ in range(k)], [draw.expovariate(1) for _ in range(k)])
        for k in (draw.randint(2, 20) for _ in range(n))
    ]


def test_the_distance_by_hand() -> None:
    assert metrics.distance((1, 2, 5), R) == 1.0  # a gap of 3 over a norm of 3
    assert metrics.distance((0, 0, 0), R) == 1.0
    assert metrics.distance(R, R) == 0.0
    assert metrics.distance((2, 4, 4), R) == 1.0
    assert metrics.distance((1, 2), R) is None
    assert metrics.distance((1, 1), (0, 0)) is None


def test_the_threshold_is_strict() -> None:
    assert not metrics.accepted(0.33)
    assert metrics.accepted(0.3299999)
    assert not metrics.accepted(None)


def test_shape_and_norm_by_hand() -> None:
    assert metrics.shape_distance((2, 4, 4), R) == 0.0
    assert metrics.norm_error((2, 4, 4), R) == 1.0
    assert metrics.shape_distance((0, 0, 0), R) is None
    # p = (1, 0), q = (1/4, 3/4)
    y, r = (2.0, 0.0), (1.0, 3.0)
    assert metrics.total_variation(y, r) == 0.75
    assert metrics.largest_difference(y, r) == 0.75
    assert metrics.concentration(y, r) == 1.0
    assert metrics.shape_error_pct(y, r) == pytest.approx(200.0)  # (0.75/0.25 + 0.75/0.75) / 2
    assert metrics.shape_distance(y, r) == pytest.approx(math.sqrt(1.125 / 0.625))
    assert metrics.rmsle((math.e - 1, 0), (0, 0)) == pytest.approx(math.sqrt(0.5))


def test_a_right_shape_concentrates_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bins of the right shape differ by rounding alone; a ratio of two such differences would be noise."""
    r = (0.1, 0.2, 0.7)
    y = tuple(3 * value for value in r)
    assert 0 < metrics.total_variation(y, r) < metrics.SAME_SHAPE  # type: ignore[operator]
    assert metrics.concentration(y, r) is None
    assert metrics.concentration((0.1, 0.2, 0.7 + 1e-10), r) is not None
    monkeypatch.setattr(metrics, "SAME_SHAPE", 0.0)
    assert metrics.concentration(r, r) is None


def test_a_total_of_one_has_an_error_too() -> None:
    assert metrics.norm_error((3.0, 0.0), (0.5, 0.5)) == 2.0
    assert metrics.norm_error((3.0,), (0.0,)) is None


def test_the_error_of_logarithms_needs_equal_lengths_and_no_negative_yield() -> None:
    assert metrics.rmsle((1.0,), (1.0, 2.0)) is None
    assert metrics.rmsle((), ()) is None
    assert metrics.rmsle((-0.5, 1.0), (0.5, 1.0)) is None
    assert metrics.rmsle((0.5, 1.0), (-0.5, 1.0)) is None


def test_jensen_shannon_by_hand() -> None:
    assert metrics.jensen_shannon((1, 0), (0, 1)) == pytest.approx(1.0)
    assert metrics.jensen_shannon(R, R) == 0.0
    # m = (5/8, 3/8): 0.5 log2(8/5) + 0.5 (1/4 log2(2/5) + 3/4 log2 2)
    expected = 0.5 * math.log2(8 / 5) + 0.5 * (0.25 * math.log2(2 / 5) + 0.75)
    assert metrics.jensen_shannon((2, 0), (1, 3)) == pytest.approx(expected)


def test_jensen_shannon_of_near_shapes_keeps_its_digits() -> None:
    """Halves moved by e/2 each: e^2 / (8 ln 2) to the leading order, below rounding too."""
    for e in (1e-3, 1e-6, 2.0**-40, 2.0**-50):
        divergence = metrics.jensen_shannon((1 + e, 1 - e), (1, 1))
        assert divergence == pytest.approx(e * e / (8 * math.log(2)), rel=max(e, 1e-3), abs=0)
    r = (0.1, 0.2, 0.7)
    assert metrics.jensen_shannon(tuple(3 * value for value in r), r) == pytest.approx(0, abs=1e-30)
    # A bin a hundred orders of magnitude smaller is as good as none.
    assert metrics.jensen_shannon((1, 0), (1, 1e-100)) == pytest.approx(0, abs=1e-90)
    assert metrics.jensen_shannon((1, 1e-100), (1e-100, 1)) == 1.0


def test_jensen_shannon_is_never_more_than_one_bit() -> None:
    """Eleven bins of 1/11 each and none shared: the rounded terms add up to an ulp more than one bit."""
    full, empty = (1.0,) * 11, (0.0,) * 11
    assert metrics.jensen_shannon(full + empty, empty + full) == 1.0


def test_identities_hold_on_random_arrays() -> None:
    for y, r in arrays():
        p, q = metrics.shape(y), metrics.shape(r)
        assert p and q
        scale = sum(y) / sum(r)
        norms = [sum(a * b for a, b in zip(*pair, strict=True)) for pair in ((p, p), (p, q), (q, q))]
        expected = (scale**2 * norms[0] - 2 * scale * norms[1] + norms[2]) / norms[2]
        d = metrics.distance(y, r)
        assert d is not None
        assert d * d == pytest.approx(expected)
        parts = metrics.likelihood_ratio_shape(y, r), metrics.likelihood_ratio_norm(y, r)
        assert metrics.likelihood_ratio(y, r) == pytest.approx(sum(x or 0.0 for x in parts))
        ratio, divergence = metrics.concentration(y, r), metrics.jensen_shannon(y, r)
        assert ratio is not None and divergence is not None
        assert 2 / len(y) - 1e-12 <= ratio <= 1
        assert 0 <= divergence <= 1


def test_likelihood_ratios_against_their_definition() -> None:
    assert metrics.likelihood_ratio_norm((2, 2), (1, 1)) == pytest.approx(2 * (4 * math.log(2) - 2))
    assert metrics.likelihood_ratio_shape((2, 0), (1, 1)) == pytest.approx(2 * 2 * math.log(2))
    assert metrics.likelihood_ratio_shape((0, 0), (1, 1)) is None
    assert metrics.likelihood_ratio_shape((1, 1), (1, 0)) is None
    assert metrics.likelihood_ratio((2, 2), (1, 1)) == pytest.approx(2 * (4 * math.log(2) - 2))


def test_likelihood_ratios_of_empty_bins() -> None:
    """A term is 0 where nothing is submitted; where nothing is expected the ratio is infinite, so null."""
    assert metrics.likelihood_ratio_shape((1, 0), (1, 0)) == 0.0
    assert metrics.likelihood_ratio((0, 1), (0, 1)) == 0.0
    assert metrics.likelihood_ratio((0, 1), (1, 1)) == 2.0  # 2 (r - y) of the empty bin alone
    assert metrics.likelihood_ratio((0, 1), (1, 0)) is None
    assert metrics.likelihood_ratio((1, 1), (1, 0)) is None
    assert metrics.likelihood_ratio((0.5,), (0.0,)) is None
    assert metrics.likelihood_ratio((1, 2), (1,)) is None
    assert metrics.likelihood_ratio_shape((1, 1), (0, 0)) is None
    assert metrics.likelihood_ratio_norm((1, 1), (0, 0)) is None
    assert metrics.likelihood_ratio_norm((0, 0), (1, 1)) is None


def test_toys_follow_the_recipe_and_have_little_power() -> None:
    r = catalogue.cms()[0].yields
    p_values = toys.p_values([1.3 * value for value in r], r, toys=20_000)
    assert p_values is not None
    assert p_values[0] > 0.99  # the same shape: hardly a toy has less
    assert p_values[1] > 0.3  # 30 % too many go unnoticed
    exact = toys.p_values((10.0,), (10.0,), toys=5_000)
    assert exact == (1.0, 1.0)
    far = toys.p_values((60.0, 1.0), (10.0, 40.0), toys=5_000)
    assert far is not None and far[0] == pytest.approx(1 / 5001)
    assert toys.p_values((0.0,), (1.0,)) is None


def test_published_errors_give_the_published_floors() -> None:
    floors = {}
    for entry in catalogue.cms():
        if entry.errors is not None:
            floors[entry.id.partition("_sim-")[2]] = uncertainty.floor(entry.yields, Errors(entry.errors))
    assert floors == {
        "T5Wg_lowHT": pytest.approx(0.1525, abs=1e-4),
        "T5Wg_highHT": pytest.approx(0.1211, abs=1e-4),
        "T6gg_lowHT": pytest.approx(0.0850, abs=1e-4),
        "T6gg_highHT": pytest.approx(0.0793, abs=1e-4),
    }


def test_printed_digits_say_what_rounding_leaves_open() -> None:
    value = printed.printed_resolution((0.45, 1.8, 57.0, 0.0, 6e-05))
    units = [0.005, 0.05, 0.5, 0.5e-5, 0.5e-5]
    assert value == pytest.approx([unit / math.sqrt(3) for unit in units])


def test_the_pull_is_chi_squared_with_a_common_rate() -> None:
    # K = 1: variance 0.3^2 + 0.4^2 = 0.5^2, and (1 + 0.5) times 2 with 100 % rate error: 0.25 + 4
    assert uncertainty.pull((2.0,), (1.0,), Errors((0.3,), 0.0, (0.4,))) == pytest.approx(2.0)
    assert uncertainty.pull((4.0,), (2.0,), Errors((0.5,), 1.0)) == pytest.approx(2 / math.sqrt(4.25))
    # two bins that move together cost less than two that do not
    errors = Errors((0.1, 0.1), 0.3)
    together = uncertainty.pull((1.3, 1.3), (1.0, 1.0), errors)
    apart = uncertainty.pull((1.3, 0.7), (1.0, 1.0), errors)
    assert together is not None and apart is not None
    assert together < 0.8 < 2.9 < apart
    assert uncertainty.pull((1.0,), (1.0,), Errors((0.0,))) is None
    assert uncertainty.pull((1.0, 2.0), (1.0, 2.0), Errors((0.0, 0.1))) is None


def test_uncertainties_of_an_empty_reference_are_null() -> None:
    assert uncertainty.floor((1.0,), Errors((0.25,))) == 0.25
    assert uncertainty.floor((0.0, 0.0), Errors((0.25, 0.25))) is None
    errors = Errors((0.1, 0.1))
    assert uncertainty.interval((1.0, 1.0), (0.0, 0.0), errors, 1) is None
    assert uncertainty.interval((0.0, 0.0), (1.0, 1.0), errors, 1) is not None
    assert uncertainty.interval((0.0, 0.0), (1.0, 1.0), errors, 1, norm=False) is None
    assert uncertainty.interval((1.0, 1.0), (1.0, -1.0), errors, 1, norm=False) is None
    assert uncertainty.interval((1.0, 1.0), (0.5, 0.5), errors, 1, norm=False) is not None
    assert uncertainty.pull((1.0, 1.0), (1.0, 1.0), Errors((0.0, 0.1))) is None


def test_the_interval_leaves_out_25_of_1000_replicates_at_each_end() -> None:
    """One bin of 1 with an error of 1/2: a replicate is |1 - max(0, 1 + z / 2)|, z the third of its three
    normal numbers, after those of the rate and of the submission.
    """
    key = np.uint64(5)
    z = [draws.normal(key, np.uint64(3 * replicate + 2)) for replicate in range(1000)]
    distances = sorted(abs(1 - max(0.0, 1 + 0.5 * value)) for value in z)
    bounds = uncertainty.interval((1.0,), (1.0,), Errors((0.5,)), 5)
    assert bounds == pytest.approx((distances[25], distances[974]))


def test_whole_numbers_of_any_size_are_yields() -> None:
    assert uncertainty.interval((10**30,), (10**30,), Errors((0.0,)), 1) == (0.0, 0.0)
    assert uncertainty.interval((0,), (10**30,), Errors((0.0,)), 1) == (1.0, 1.0)


def test_the_interval_covers_and_repeats() -> None:
    """Submissions that differ from the reference by their declared errors alone: most intervals hold the true
    d.
    """
    draw = random.Random(3)
    truth, r, noise = (12.0, 20.0, 8.0), (10.0, 16.0, 11.0), (1.0, 1.4, 0.9)
    d = metrics.distance(truth, r)
    held = 0
    for seed in range(200):
        y = [t + e * draw.gauss(0, 1) for t, e in zip(truth, noise, strict=True)]
        value = uncertainty.interval(y, r, Errors((0.0,) * 3, 0.0, noise), seed)
        assert value is not None
        assert value == uncertainty.interval(y, r, Errors((0.0,) * 3, 0.0, noise), seed)
        held += value[0] <= (d or 0) <= value[1]
    assert held >= 170  # nominal 190; percentile intervals of a distance cover a little less
