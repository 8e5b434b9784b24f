"""The portable functions: accuracy against 80-bit references, edges, and the same bits in every mode."""

from __future__ import annotations

import hashlib
import math
import os
import statistics
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

from assay.numbers.portable import exp, log, log1p, norminv, sincos

RANDOM = np.random.default_rng(20260601)


def units_in_the_last_place(
    mine: Callable[[float], float], reference: Callable[[np.longdouble], np.longdouble], xs: np.ndarray
) -> float:
    """The largest error of a function over these arguments."""
    assert np.finfo(np.longdouble).nmant >= 63, "needs 80-bit floats"
    errors = []
    for x in xs.tolist():
        exact = reference(np.longdouble(x))
        errors.append(abs(float((np.longdouble(mine(x)) - exact) / np.spacing(abs(float(exact))))))
    return max(errors)


@pytest.mark.parametrize(
    ("mine", "reference", "xs", "bound"),
    [
        (exp, np.exp, RANDOM.uniform(-700, 709, 20_000), 0.9),
        (log, np.log, np.exp(RANDOM.uniform(-700, 700, 20_000)), 0.8),
        (log, np.log, RANDOM.uniform(0.5, 2, 20_000), 0.9),
        (log1p, np.log1p, RANDOM.uniform(-0.9, 3, 20_000), 2.0),
        (lambda x: sincos(x)[0], np.sin, RANDOM.uniform(-10, 10, 20_000), 0.85),
        (lambda x: sincos(x)[1], np.cos, RANDOM.uniform(-99_999, 99_999, 20_000), 0.85),
    ],
    ids=["exp", "log", "log near 1", "log1p", "sin", "cos"],
)
def test_accuracy(mine, reference, xs, bound):
    assert units_in_the_last_place(mine, reference, xs) < bound


def test_normal_quantile():
    reference = statistics.NormalDist().inv_cdf  # the same algorithm with the library's logarithm
    for p in (*RANDOM.uniform(0, 1, 5_000).tolist(), 1e-300, 1e-17, 0.075, 0.925, 1 - 1e-15):
        assert norminv(p) == pytest.approx(reference(p), rel=2e-15, abs=1e-15)
    assert norminv(0.5) == 0.0
    assert norminv(0.3) == -norminv(0.7) or norminv(0.3) == pytest.approx(-norminv(0.7), rel=1e-15)


def test_edges():
    assert exp(0.0) == 1.0
    assert exp(-708.1) == 0.0  # no subnormal numbers
    assert exp(709.9) == math.inf
    assert math.isnan(exp(math.nan))
    assert (log(1.0), log(0.0), log(math.inf)) == (0.0, -math.inf, math.inf)
    assert math.isnan(log(-1.0))
    assert log(5e-324) == pytest.approx(math.log(5e-324), rel=1e-15)
    assert log1p(1e-20) == 1e-20
    assert log1p(-1.0) == -math.inf
    assert sincos(0.0) == (0.0, 1.0)
    assert all(math.isnan(value) for value in sincos(1e5))
    assert (norminv(0.0), norminv(1.0)) == (-math.inf, math.inf)
    assert math.isnan(norminv(1.5))


def bits_of_all_functions() -> str:
    """A digest of results over fixed arguments, made with basic operations only."""
    xs = [(i * 0.6180339887498949) % 1.0 for i in range(1, 400)]
    values = []
    for x in xs:
        values += [
            exp(1400 * x - 700),
            log(1e-3 + 50 * x),
            log1p(3 * x - 0.9),
            *sincos(200 * x - 100),
            norminv(x),
        ]
    return hashlib.sha256(np.array(values).tobytes()).hexdigest()


GOLDEN = "6ee85fb9986e16989542a47fe3f769f60d5972556a1724227189c220e3d7ec13"


def test_golden_bits():
    assert bits_of_all_functions() == GOLDEN


@pytest.mark.parametrize("setting", ["NUMBA_DISABLE_JIT=1", "NUMBA_CPU_NAME=generic"])
def test_same_bits_interpreted_and_for_any_processor(setting):
    program = "from tests.numbers.test_portable import bits_of_all_functions as bits; print(bits())"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | dict([setting.split("=")]) | {"PYTHONPATH": os.pathsep.join(["src", "."])},
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stdout.strip() == GOLDEN
