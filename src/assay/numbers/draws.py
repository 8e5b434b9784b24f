"""Random draws inside compiled kernels, with the generator of `assay.numbers.rng` (SplitMix64 by index).

`uniform(key, i)` is the i-th number of `Stream(key)`, counted from 0. A simulation gets the key of a run from
`key(seed, stream)`, and the key of one of its steps from `sub(key, step)`. All integers are unsigned with 64
bits: from Python, pass them as `np.uint64`.

Example:
    >>> from assay.numbers.rng import stream
    >>> urn = stream(7, "urn")
    >>> uniform(np.uint64(urn.key), np.uint64(0)) == urn.uniform()
    True
"""

from __future__ import annotations

import numpy as np

from assay.numbers.kernels import kernel
from assay.numbers.portable import norminv

# Numba converts a uint64 to a float if it is combined with a signed literal, so every constant is a uint64.
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
    """Apply SplitMix64's finaliser, a bijection of 64-bit integers."""
    z = (z ^ (z >> S30)) * FIRST
    z = (z ^ (z >> S27)) * SECOND
    return z ^ (z >> S31)


@kernel
def key(seed: np.uint64, stream: np.uint64) -> np.uint64:
    """Return the key of one stream of a run."""
    return mix(mix(np.uint64(seed) * GOLDEN + OFFSET) + np.uint64(stream) * GOLDEN)


@kernel
def sub(key: np.uint64, step: np.uint64) -> np.uint64:
    """Return the key of one step of a run."""
    return mix(np.uint64(key) + (np.uint64(step) + ONE) * GOLDEN)


@kernel
def bits(key: np.uint64, i: np.uint64) -> np.uint64:
    """Return the i-th random 64-bit integer of a key."""
    return mix(np.uint64(key) + (np.uint64(i) + ONE) * GOLDEN)


@kernel
def uniform(key: np.uint64, i: np.uint64) -> float:
    """Return the i-th uniform number of a key, in (0, 1); see `Stream.uniform`."""
    return (float(np.int64(bits(key, i) >> S12)) + 0.5) * TWO_TO_MINUS_52


@kernel
def uniforms(key: np.uint64, out: np.ndarray) -> None:
    """Fill a float64 array with the first uniform numbers of a key.

    This is four times as fast as a loop that calls `uniform`: an addition of GOLDEN replaces a product, and
    the compiler uses vector instructions.

    Example:
        >>> numbers = np.empty(3)
        >>> uniforms(np.uint64(1), numbers)
        >>> numbers[2] == uniform(np.uint64(1), np.uint64(2))
        np.True_
    """
    z = np.uint64(key)
    for i in range(out.size):
        z = z + GOLDEN
        out[i] = (float(np.int64(mix(z) >> S12)) + 0.5) * TWO_TO_MINUS_52


@kernel
def below(key: np.uint64, i: np.uint64, n: np.uint64) -> np.int64:
    """Return the i-th integer of a key in [0, n), for 0 < n < 2**31."""
    return np.int64(((bits(key, i) >> S32) * np.uint64(n)) >> S32)


@kernel
def normal(key: np.uint64, i: np.uint64) -> float:
    """Return the i-th standard normal number of a key: the normal quantile of its i-th uniform number."""
    return norminv(uniform(key, i))
