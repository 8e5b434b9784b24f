"""Random draws inside compiled kernels: a draw depends only on what it is for.

The generator of `assay.numbers.rng` (SplitMix64 by index) with unsigned 64-bit integers: `uniform(key, i)`
is the i-th number of `Stream(key)`, counted from 0. Keys for one run of a simulation come from `key(seed,
stream)`, keys for one of its steps from `sub(key, step)`. From Python, pass keys as `np.uint64`.
"""

from __future__ import annotations

import numpy as np

from assay.numbers.kernels import kernel
from assay.numbers.portable import norminv

# Numba makes a float of a uint64 that meets a signed literal, so every constant here is a uint64
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)
OFFSET = np.uint64(0x1234567)
ONE = np.uint64(1)
S12 = np.uint64(12)
S27 = np.uint64(27)
S30 = np.uint64(30)
S31 = np.uint64(31)
S32 = np.uint64(32)
TWO_TO_MINUS_52 = 2.0**-52


@kernel
def mix(z: np.uint64) -> np.uint64:
    """SplitMix64's finaliser: a bijection of 64-bit integers."""
    z = (z ^ (z >> S30)) * FIRST
    z = (z ^ (z >> S27)) * SECOND
    return z ^ (z >> S31)


@kernel
def key(seed: np.uint64, stream: np.uint64) -> np.uint64:
    """The key of one stream of a run: both arguments unsigned 64-bit integers."""
    return mix(mix(np.uint64(seed) * GOLDEN + OFFSET) + np.uint64(stream) * GOLDEN)


@kernel
def sub(key: np.uint64, step: np.uint64) -> np.uint64:
    """The key of one step below a key."""
    return mix(np.uint64(key) + (np.uint64(step) + ONE) * GOLDEN)


@kernel
def bits(key: np.uint64, i: np.uint64) -> np.uint64:
    """The i-th 64 bits under a key."""
    return mix(np.uint64(key) + (np.uint64(i) + ONE) * GOLDEN)


@kernel
def uniform(key: np.uint64, i: np.uint64) -> float:
    """The i-th uniform number in (0, 1), exact: 52 bits and a half, so that neither end can come."""
    return (float(np.int64(bits(key, i) >> S12)) + 0.5) * TWO_TO_MINUS_52


@kernel
def uniforms(key: np.uint64, out: np.ndarray) -> None:
    """Fill a float64 array with the first uniform numbers under a key.

    As `uniform` one by one, but four times as fast: the additions of GOLDEN take the place of a product, and
    a loop that does nothing else is compiled to whole vectors.
    """
    z = np.uint64(key)
    for i in range(out.size):
        z = z + GOLDEN
        out[i] = (float(np.int64(mix(z) >> S12)) + 0.5) * TWO_TO_MINUS_52


@kernel
def below(key: np.uint64, i: np.uint64, n: np.uint64) -> np.int64:
    """The i-th integer in [0, n) under a key, for 0 < n < 2**31."""
    return np.int64(((bits(key, i) >> S32) * np.uint64(n)) >> S32)


@kernel
def normal(key: np.uint64, i: np.uint64) -> float:
    """The i-th standard normal number under a key: one uniform each."""
    return norminv(uniform(key, i))
