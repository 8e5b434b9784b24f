"""NumPy generators seeded by compiled code: from the hash of a key to a PCG64 and its first draws.

The text `seed|key` is hashed with SHA-256, and the first 16 bytes seed a PCG64 (`np.random.SeedSequence`).
Making a generator with NumPy takes longer than all draws from it. `Quick` therefore keeps one generator and
sets it to the state that a new one would have, so that it draws NumPy's own numbers; it also draws the first
numbers of many keys at once. `Official` does the same with NumPy alone. It is used if kernels are
interpreted, or if this version of NumPy stores the state of a generator differently.
"""

from __future__ import annotations

import ctypes
import hashlib
import struct
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from assay.numbers.kernels import INTERPRETED, kernel

Generator = np.random.Generator

MASK32 = np.uint64(0xFFFFFFFF)
S16 = np.uint64(16)
S32 = np.uint64(32)
S11 = np.uint64(11)
INIT_A, MULT_A = np.uint64(0x43B0D7E5), np.uint64(0x931E8875)
INIT_B, MULT_B = np.uint64(0x8B51F9DD), np.uint64(0x58F38DED)
MIX_LEFT, MIX_RIGHT = np.uint64(0xCA01F9DD), np.uint64(0x4973F715)
PCG_HIGH, PCG_LOW = np.uint64(2549297995355413924), np.uint64(4865540595714422341)
ONE = np.uint64(1)
S63 = np.uint64(63)
UNIT = 2.0**-53

WORDS = struct.Struct("<4I")


def _quickest_sha256() -> Any:
    """Return CPython's own SHA-256, which takes half the time of OpenSSL's for texts as short as a key."""
    for module in ("_sha2", "_sha256", "hashlib"):
        try:
            return import_module(module).sha256
        except ImportError:
            continue
    raise AssertionError("hashlib is always there")


sha256 = _quickest_sha256()


# ------------------------------------------------------------ SeedSequence and PCG64


@kernel
def _multiply(a: np.uint64, b: np.uint64) -> np.uint64:
    """The high 64 bits of the product of two 64-bit numbers."""
    a0, a1 = a & MASK32, a >> S32
    b0, b1 = b & MASK32, b >> S32
    low = a0 * b0
    middle = a1 * b0 + (low >> S32)
    other = a0 * b1 + (middle & MASK32)
    return a1 * b1 + (middle >> S32) + (other >> S32)


@kernel
def _step(high: np.uint64, low: np.uint64, inc_high: np.uint64, inc_low: np.uint64) -> Any:
    """One step of the 128-bit congruential generator."""
    new_high = _multiply(low, PCG_LOW) + high * PCG_LOW + low * PCG_HIGH
    new_low = low * PCG_LOW
    total = new_low + inc_low
    carry = ONE if total < new_low else np.uint64(0)
    return new_high + inc_high + carry, total


@kernel
def _hash(value: np.uint64, constant: np.uint64, factor: np.uint64) -> Any:
    """Return SeedSequence's hash of a word, and the next constant.

    `factor` is MULT_A for words that enter the pool, and MULT_B for words that are generated from it.
    """
    value = value ^ constant
    constant = (constant * factor) & MASK32
    value = (value * constant) & MASK32
    return value ^ (value >> S16), constant


@kernel
def _mix(x: np.uint64, y: np.uint64) -> np.uint64:
    """Return SeedSequence's mix of two words of its pool."""
    result = (MIX_LEFT * x - MIX_RIGHT * y) & MASK32
    return result ^ (result >> S16)


@kernel
def _seed(w0: int, w1: int, w2: int, w3: int, state: np.ndarray) -> None:
    """Write the state of a PCG64 that NumPy's SeedSequence seeds with four 32-bit words."""
    state[0], state[1], state[2], state[3] = w0, w1, w2, w3
    # Until the last line, `state` holds the pool of SeedSequence.
    constant = INIT_A
    for i in range(4):
        state[i], constant = _hash(state[i], constant, MULT_A)
    for source in range(4):
        for target in range(4):
            if source != target:
                word, constant = _hash(state[source], constant, MULT_A)
                state[target] = _mix(state[target], word)
    constant = INIT_B
    a0, constant = _hash(state[0], constant, MULT_B)
    a1, constant = _hash(state[1], constant, MULT_B)
    b0, constant = _hash(state[2], constant, MULT_B)
    b1, constant = _hash(state[3], constant, MULT_B)
    c0, constant = _hash(state[0], constant, MULT_B)
    c1, constant = _hash(state[1], constant, MULT_B)
    d0, constant = _hash(state[2], constant, MULT_B)
    d1, constant = _hash(state[3], constant, MULT_B)
    start_high, start_low = a0 | (a1 << S32), b0 | (b1 << S32)
    seq_high, seq_low = c0 | (c1 << S32), d0 | (d1 << S32)
    inc_high = (seq_high << ONE) | (seq_low >> S63)
    inc_low = (seq_low << ONE) | ONE
    # PCG64 is seeded from the state 0, which the first step changes to the increment.
    low = inc_low + start_low
    high = inc_high + start_high + (ONE if low < inc_low else np.uint64(0))
    high, low = _step(high, low, inc_high, inc_low)
    state[0], state[1], state[2], state[3] = low, high, inc_low, inc_high


@kernel
def _next(state: np.ndarray) -> Any:
    """Return the next 64 bits of the generator, and advance its state."""
    high, low = _step(state[1], state[0], state[3], state[2])
    state[0], state[1] = low, high
    turn = high >> np.uint64(58)
    both = high ^ low
    return (both >> turn) | (both << ((np.uint64(64) - turn) & S63))


# ------------------------------------------------------------ first draws of many keys


@kernel
def _uniforms(words: np.ndarray, out: np.ndarray) -> None:
    """Write to each row of `out` the first uniform numbers of the generator seeded by that row of `words`."""
    state = np.empty(4, np.uint64)
    for i in range(out.shape[0]):
        _seed(words[i, 0], words[i, 1], words[i, 2], words[i, 3], state)
        for j in range(out.shape[1]):
            out[i, j] = np.float64(_next(state) >> S11) * UNIT


@kernel
def _poissons(
    generator: Any,
    state: np.ndarray,
    words: np.ndarray,
    rates: np.ndarray,
    counts: np.ndarray,
    after: np.ndarray,
) -> None:
    """Draw for each row of `words` a Poisson number for each rate (`counts`), then a normal one (`after`).

    `state` is the memory in which `generator` keeps its state.
    """
    for i in range(len(words)):
        _seed(words[i, 0], words[i, 1], words[i, 2], words[i, 3], state)
        for k in range(rates.shape[1]):
            counts[i, k] = generator.poisson(rates[i, k])
        after[i] = generator.standard_normal()


@kernel
def _firsts(words: np.ndarray, normals: int, widths: np.ndarray, inner: np.ndarray, out: np.ndarray) -> None:
    """Write to `out` the first number of the generator seeded by each row of `words`.

    The first `normals` rows give standard normal numbers, and the others uniform ones. A normal number is NaN
    if it may need more than the first 64 bits of its generator.
    """
    state = np.empty(4, np.uint64)
    for i in range(len(words)):
        _seed(words[i, 0], words[i, 1], words[i, 2], words[i, 3], state)
        bits = _next(state)
        if i >= normals:
            out[i] = np.float64(bits >> S11) * UNIT
            continue
        layer = bits & np.uint64(0xFF)
        distance = (bits >> np.uint64(9)) & np.uint64(0x000FFFFFFFFFFFFF)
        out[i] = np.nan
        if distance < inner[layer]:
            x = np.float64(distance) * widths[layer]
            out[i] = -x if (bits >> np.uint64(8)) & ONE else x


def _layers() -> tuple[np.ndarray, np.ndarray]:
    """Return the ziggurat of NumPy's normal numbers: each layer's width over 2**52, and its inner part.

    The widths are read from NumPy: a generator whose next 64 bits are chosen suitably draws the width of a
    layer. The inner parts follow Marsaglia and Tsang (2000), but are slightly smaller, so that NumPy accepts
    every number in them without a further draw. Layers 1 (the top) and 2 have no inner part, so that their
    numbers are drawn by NumPy.
    """
    multiplier = (int(PCG_HIGH) << 64) | int(PCG_LOW)
    back = pow(multiplier, -1, 1 << 128)
    bits = np.random.PCG64(0)
    generator, state = np.random.Generator(bits), bits.state
    widths = np.ones(256)
    for layer in range(256):
        if layer != 1:
            wanted = (1 << 9) | layer
            state["state"] = {"state": (wanted - 1) * back % (1 << 128), "inc": 1}
            bits.state = state
            widths[layer] = generator.standard_normal()
    inner = np.zeros(256, dtype=np.uint64)
    for layer in (0, *range(3, 256)):
        inner[layer] = int(float(widths[layer - 1] / widths[layer]) * 2**52) - 64
    return widths, inner


class Quick:
    """A single generator that is seeded anew for each key, with kernels that draw for many keys at once."""

    def __init__(self) -> None:
        self.generator = np.random.Generator(np.random.PCG64(0))
        bits: Any = self.generator.bit_generator
        # NumPy's structure for C programs holds a pointer to the 128-bit state and increment, and then a flag
        # that says whether 32 bits of a 64-bit draw are left over.
        self._kept = bits
        address = bits.ctypes.state_address
        (inner,) = struct.unpack("<Q", ctypes.string_at(address, 8))
        numbers: Any = (ctypes.c_uint64 * 4).from_address(inner)
        self._half = ctypes.c_int.from_address(address + 8)
        self._state = np.frombuffer(numbers, dtype=np.uint64)
        self._widths, self._inner = _layers()

    def at(self, name: str) -> Generator:
        """Return the generator that NumPy would seed with `name`; it is valid until the next method call."""
        a, b, c, d = WORDS.unpack_from(sha256(name.encode()).digest())
        _seed(a, b, c, d, self._state)
        self._half.value = 0
        return self.generator

    def firsts(self, normals: Sequence[str], uniforms: Sequence[str]) -> list[float]:
        """Return the first number of each name: standard normal ones, then uniform ones in [0, 1)."""
        names = [*normals, *uniforms]
        drawn = np.empty(len(names))
        _firsts(_words(names), len(normals), self._widths, self._inner, drawn)
        numbers: list[float] = drawn.tolist()
        for i, z in enumerate(numbers):
            if z != z:  # NaN: about one normal number in a hundred
                numbers[i] = self.at(names[i]).standard_normal()
        return numbers

    def uniform_rows(self, names: Sequence[str], n: int) -> list[list[float]]:
        """Return the first `n` uniform numbers in [0, 1) of each name."""
        drawn = np.empty((len(names), n))
        _uniforms(_words(names), drawn)
        rows: list[list[float]] = drawn.tolist()
        return rows

    def poissons(
        self, names: Sequence[str], rates: Sequence[Sequence[float]]
    ) -> tuple[list[list[int]], list[float]]:
        """Return a Poisson number for each rate of each name, and each name's next standard normal number."""
        table = np.array(rates)
        counts, after = np.empty(table.shape, dtype=np.int64), np.empty(len(names))
        self._half.value = 0
        _poissons(self.generator, self._state, _words(names), table, counts, after)
        rows: Any = counts.tolist()
        last: list[float] = after.tolist()
        return rows, last

    def sound(self) -> bool:
        """Return whether the results for some keys equal those of `Official` with this version of NumPy."""
        official, names = Official(), [f"101|prog|PJ{n:03d}|6" for n in range(200)]
        rates = [[0.5, 5.0, 30.0]] * len(names)
        return (
            self.at(names[0]).bit_generator.state == official.at(names[0]).bit_generator.state
            and self.firsts(names, names) == official.firsts(names, names)
            and self.uniform_rows(names, 3) == official.uniform_rows(names, 3)
            and self.poissons(names, rates) == official.poissons(names, rates)
        )


def _words(names: Sequence[str]) -> np.ndarray:
    """Return the SHA-256 of each name as a row of eight 32-bit words; the first four are the seed."""
    digests = b"".join([sha256(name.encode()).digest() for name in names])
    return np.frombuffer(digests, dtype="<u4").reshape(-1, 8)


class Official:
    """The methods of `Quick` with NumPy alone: slower, but independent of how NumPy stores its state."""

    def at(self, name: str) -> Generator:
        number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:16], "little")
        return np.random.default_rng(np.random.SeedSequence(number))

    def firsts(self, normals: Sequence[str], uniforms: Sequence[str]) -> list[float]:
        return [self.at(name).standard_normal() for name in normals] + [
            self.at(name).random() for name in uniforms
        ]

    def uniform_rows(self, names: Sequence[str], n: int) -> list[list[float]]:
        return [self.at(name).random(n).tolist() for name in names]

    def poissons(
        self, names: Sequence[str], rates: Sequence[Sequence[float]]
    ) -> tuple[list[list[int]], list[float]]:
        counts, after = [], []
        for name, row in zip(names, rates, strict=True):
            generator = self.at(name)
            counts.append([int(generator.poisson(rate)) for rate in row])
            after.append(generator.standard_normal())
        return counts, after


def choose() -> Quick | Official:
    """Return `Quick` if kernels are compiled and it agrees with this version of NumPy, else `Official`."""
    if INTERPRETED:
        return Official()
    quick = Quick()
    return quick if quick.sound() else Official()
