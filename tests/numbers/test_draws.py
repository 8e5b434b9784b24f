"""Draws inside kernels: the same numbers as the named streams."""

from __future__ import annotations

import numpy as np
import pytest

from assay.numbers.draws import below, bits, key, mix, normal, sub, uniform, uniforms
from assay.numbers.portable import norminv
from assay.numbers.rng import GOLDEN, MASK, Stream
from assay.numbers.rng import mix as python_mix

KEYS = (0, 1, 12345, 2**63, MASK)


@pytest.mark.parametrize("seed", KEYS)
def test_agrees_with_streams(seed):
    k = np.uint64(seed)
    streams = [Stream(seed) for _ in range(3)]
    for i in range(200):
        at = np.uint64(i)
        assert int(bits(k, at)) == streams[0].bits()
        assert uniform(k, at) == streams[1].uniform()
        assert below(k, at, np.uint64(1000 + i)) == streams[2].below(1000 + i)


@pytest.mark.parametrize("seed", KEYS)
@pytest.mark.parametrize("n", [0, 1, 150, 203])
def test_many_uniforms_are_those_drawn_one_by_one(seed, n):
    out = np.empty(n)
    uniforms(np.uint64(seed), out)
    assert out.tolist() == [uniform(np.uint64(seed), np.uint64(i)) for i in range(n)]


@pytest.mark.parametrize("seed", KEYS)
def test_keys_are_what_they_are_documented_to_be(seed):
    first = python_mix((seed * GOLDEN + 0x1234567) & MASK)
    assert int(mix(np.uint64(seed))) == python_mix(seed)
    assert int(key(np.uint64(seed), np.uint64(2))) == python_mix((first + 2 * GOLDEN) & MASK)
    assert int(sub(np.uint64(seed), np.uint64(7))) == python_mix((seed + 8 * GOLDEN) & MASK)


def test_uniform_stays_inside_and_is_even():
    k = np.uint64(key(np.uint64(7), np.uint64(1)))
    values = np.array([uniform(k, np.uint64(i)) for i in range(20_000)])
    counts = np.histogram(values, bins=20, range=(0, 1))[0]
    assert ((counts - 1000) ** 2 / 1000).sum() < 43.8  # chi-square, 19 degrees of freedom, p = .001


def test_extremes_of_uniform():
    # SplitMix64's finaliser is a bijection: the keys of the bits 0 and 2**64 - 1 can be found backwards
    def unmix(z: int) -> int:
        z ^= (z >> 31) ^ (z >> 62)
        z = z * pow(0x94D049BB133111EB, -1, 2**64) & MASK
        z ^= (z >> 27) ^ (z >> 54)
        z = z * pow(0xBF58476D1CE4E5B9, -1, 2**64) & MASK
        return z ^ (z >> 30) ^ (z >> 60)

    ends = [np.uint64((unmix(value) - GOLDEN) & MASK) for value in (0, MASK)]
    assert [uniform(end, np.uint64(0)) for end in ends] == [2.0**-53, 1.0 - 2.0**-53]


def test_normal_takes_one_uniform():
    k = np.uint64(key(np.uint64(3), np.uint64(3)))
    for i in range(100):
        assert normal(k, np.uint64(i)) == norminv(uniform(k, np.uint64(i)))
