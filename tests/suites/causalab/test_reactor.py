"""The reactor: clamp, truncation, the last submission that cannot succeed."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.suites.causalab.simulation.reactor import Reactor, accepted, solvable


@pytest.mark.parametrize(
    ("target", "value", "taken"),
    [
        (148, 152.9, True),
        (148, 153, False),
        (148, 143.5, False),
        (148, 143.99, False),
        (148, 144, True),
        (148.6, 153.7, True),
        (148.6, 143.9, False),
        (148.01, 143.99, False),
        (148.01, 144, True),
        (148.01, 153.99, True),
        (148.01, 154, False),
        (10_004.99, 10_000, True),
        (10_005.0, 10_000, False),
        (10_004.99, math.inf, True),
        (9_998.0, math.nan, True),
        (11_630.0, 11_630.0, False),
    ],
)
def test_documented_submissions(target, value, taken):
    assert accepted(value, target) is taken


@given(st.floats(0, 12_000), st.one_of(st.integers(1, 9_990), st.floats(1, 9_990)))
def test_the_closed_form(value, target):
    low = math.floor(target) - 4
    high = math.floor(target) + (5 if target == int(target) else 6)
    clamped = min(value, 10_000.0)
    assert accepted(value, target) is (max(0, low) <= clamped < high)


def test_the_last_submission_counts_in_the_mended_mode_only():
    for mode, most in (("compat", 2), ("fixed", 3)):
        for tries in range(3):
            reactor = Reactor(148.0, mode)
            results = [reactor.submit(0.0) for _ in range(tries)] + [reactor.submit(148.0)]
            assert results[-1] is reactor.completed is (tries < most)
    with pytest.raises(ValueError, match="no submission"):
        [reactor.submit(0.0) for _ in range(4)]


def test_targets_beyond_the_range_are_solvable_in_the_mended_mode_only():
    assert solvable(10_004.0)
    assert not solvable(10_005.0)
    assert solvable(16_206.0, "fixed")
    reactor = Reactor(11_630.0)
    assert [reactor.submit(v) for v in (11_630.0, 10_000, 11_630.0)] == [False] * 3
    assert reactor.submitted == [10_000.0] * 3
    assert Reactor(16_206.0, "fixed").submit(16_206.0)
