"""NumPy's generators made by compiled code: from the hash of a key to a PCG64, and to its first draws.

The text `seed|key` is hashed with SHA-256, and the first 16 bytes seed a PCG64 (`np.random.SeedSequence`).
Making a generator the official way takes longer than all that is drawn from it. `Quick` keeps one generator
and gives it the state that a new one would have, so that what is drawn are NumPy's own numbers; and it draws
the first numbers of many keys at once. `Official` does the same by NumPy alone, and is taken where kernels
are interpreted or where this version of NumPy keeps its state elsewhere.
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
    """CPython's own SHA-256, which takes half the time of OpenSSL's for texts as short as a key."""
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
    """SeedSequence's hash of a word, and the next constant; MULT_A on the way into its pool, MULT_B out."""
    value = value ^ constant
    constant = (constant * factor) & MASK32
    value = (value * constant) & MASK32
    return value ^ (value >> S16), constant


@kernel
def _mix(x: np.uint64, y: np.uint64) -> np.uint64:
    """SeedSequence's mixing of two words of its pool."""
    result = (MIX_LEFT * x - MIX_RIGHT * y) & MASK32
    return result ^ (result >> S16)


@kernel
def _seed(w0: int, w1: int, w2: int, w3: int, state: np.ndarray) -> None:
    """Write what NumPy's SeedSequence and PCG64 make of four 32-bit words into the generator's state."""
    state[0], state[1], state[2], state[3] = w0, w1, w2, w3
    # While it is being made, the pool of SeedSequence stands in `state`.
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
    # The state before the first step is 0, so the first step leaves the increment.
    low = inc_low + start_low
    high = inc_high + start_high + (ONE if low < inc_low else np.uint64(0))
    high, low = _step(high, low, inc_high, inc_low)
    state[0], state[1], state[2], state[3] = low, high, inc_low, inc_high


@kernel
def _next(state: np.ndarray) -> Any:
    """The next 64 bits of the generator."""
    high, low = _step(state[1], state[0], state[3], state[2])
    state[0], state[1] = low, high
    turn = high >> np.uint64(58)
    both = high ^ low
    return (both >> turn) | (both << ((np.uint64(64) - turn) & S63))


# ------------------------------------------------------------ first draws of many keys


@kernel
def _uniforms(words: np.ndarray, out: np.ndarray) -> None:
    """A row of uniform numbers from the generator of each row of words."""
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
    """For each row of words as many Poisson numbers as it has rates, and then a normal one.

    `state` is the memory in which `generator` keeps its state.
    """
    for i in range(len(words)):
        _seed(words[i, 0], words[i, 1], words[i, 2], words[i, 3], state)
        for k in range(rates.shape[1]):
            counts[i, k] = generator.poisson(rates[i, k])
        after[i] = generator.standard_normal()


@kernel
def _firsts(words: np.ndarray, normals: int, widths: np.ndarray, inner: np.ndarray, out: np.ndarray) -> None:
    """The first number of the generator of each row of words: normal ones, and then uniform ones.

    A normal number is NaN where it takes more than the first 64 bits.
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
    """The ziggurat behind NumPy's normal numbers: the width of each layer by 2**52, and its inner part.

    Read from NumPy: a generator whose next 64 bits are chosen draws the width. The inner parts are those of
    Marsaglia and Tsang (2000), made a little smaller, so that what they let pass is safe. Layer 1, the top,
    and layer 2 are left to NumPy.
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
    """One generator that is set back again and again, and kernels for many keys at once."""

    def __init__(self) -> None:
        self.generator = np.random.Generator(np.random.PCG64(0))
        bits: Any = self.generator.bit_generator
        # The structure that NumPy shows to C programs: a pointer to the 128-bit state and increment, and what
        # is left of a 64-bit draw of which 32 bits were used.
        self._kept = bits
        address = bits.ctypes.state_address
        (inner,) = struct.unpack("<Q", ctypes.string_at(address, 8))
        numbers: Any = (ctypes.c_uint64 * 4).from_address(inner)
        self._half = ctypes.c_int.from_address(address + 8)
        self._state = np.frombuffer(numbers, dtype=np.uint64)
        self._widths, self._inner = _layers()

    def at(self, name: str) -> Generator:
        """The generator that NumPy would make of `seed|key`; valid until the next call of any method."""
        a, b, c, d = WORDS.unpack_from(sha256(name.encode()).digest())
        _seed(a, b, c, d, self._state)
        self._half.value = 0
        return self.generator

    def firsts(self, normals: Sequence[str], uniforms: Sequence[str]) -> list[float]:
        """The first standard normal number of each of some names, and the first uniform one of others."""
        names = [*normals, *uniforms]
        drawn = np.empty(len(names))
        _firsts(_words(names), len(normals), self._widths, self._inner, drawn)
        numbers: list[float] = drawn.tolist()
        for i, z in enumerate(numbers):
            if z != z:  # one normal number in a hundred
                numbers[i] = self.at(names[i]).standard_normal()
        return numbers

    def uniform_rows(self, names: Sequence[str], n: int) -> list[list[float]]:
        """The first n uniform numbers of each name."""
        drawn = np.empty((len(names), n))
        _uniforms(_words(names), drawn)
        rows: list[list[float]] = drawn.tolist()
        return rows

    def poissons(
        self, names: Sequence[str], rates: Sequence[Sequence[float]]
    ) -> tuple[list[list[int]], list[float]]:
        """For each name a Poisson number for each of its rates, and the standard normal number after them."""
        table = np.array(rates)
        counts, after = np.empty(table.shape, dtype=np.int64), np.empty(len(names))
        self._half.value = 0
        _poissons(self.generator, self._state, _words(names), table, counts, after)
        rows: Any = counts.tolist()
        last: list[float] = after.tolist()
        return rows, last

    def sound(self) -> bool:
        """Whether this version of NumPy works as expected: tried on some keys."""
        official, names = Official(), [f"101|prog|PJ{n:03d}|6" for n in range(200)]
        rates = [[0.5, 5.0, 30.0]] * len(names)
        return (
            self.at(names[0]).bit_generator.state == official.at(names[0]).bit_generator.state
            and self.firsts(names, names) == official.firsts(names, names)
            and self.uniform_rows(names, 3) == official.uniform_rows(names, 3)
            and self.poissons(names, rates) == official.poissons(names, rates)
        )


def _words(names: Sequence[str]) -> np.ndarray:
    """The hash of each name as a row of 32-bit words, of which the first four are the seed."""
    digests = b"".join([sha256(name.encode()).digest() for name in names])
    return np.frombuffer(digests, dtype="<u4").reshape(-1, 8)


class Official:
    """The methods of `Quick` by NumPy alone: slower, and independent of how NumPy keeps its state."""

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
    """The quick way where this version of NumPy allows it."""
    if INTERPRETED:
        return Official()
    quick = Quick()
    return quick if quick.sound() else Official()
