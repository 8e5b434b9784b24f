"""Random numbers of the published world: a fresh NumPy generator for each purpose, made from its name.

The text `seed|key` is hashed, and the first 16 bytes seed a PCG64. Making a generator the official way takes
longer than all that is drawn from it, so `Randomness` keeps one generator and gives it the state that a new
one would have: the draws are NumPy's own. `sigma * standard_normal()` is written out here and not left to
`normal(mu, sigma)`, so that no compiler can fuse the product with the sum.
"""

from __future__ import annotations

import ctypes
import struct
from importlib import import_module
from typing import Any

import numpy as np

from assay.kernels import INTERPRETED, kernel

Generator = np.random.Generator

MASK32 = np.uint64(0xFFFFFFFF)
S16 = np.uint64(16)
S32 = np.uint64(32)
INIT_A, MULT_A = np.uint64(0x43B0D7E5), np.uint64(0x931E8875)
INIT_B, MULT_B = np.uint64(0x8B51F9DD), np.uint64(0x58F38DED)
MIX_LEFT, MIX_RIGHT = np.uint64(0xCA01F9DD), np.uint64(0x4973F715)
PCG_HIGH, PCG_LOW = np.uint64(2549297995355413924), np.uint64(4865540595714422341)
ONE = np.uint64(1)
S63 = np.uint64(63)

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


def entropy(seed: int, key: str) -> int:
    """The 128-bit seed of the generator with that key, e.g. `entropy(101, "prog|PJ001|6")`."""
    return int.from_bytes(sha256(f"{seed}|{key}".encode()).digest()[:16], "little")


def fresh(seed: int, key: str) -> Generator:
    """A new generator for that key, made by NumPy alone."""
    return np.random.default_rng(np.random.SeedSequence(entropy(seed, key)))


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
def _hash_a(value: np.uint64, constant: np.uint64) -> Any:
    """SeedSequence's hash of a word of entropy, and the next constant."""
    value = value ^ constant
    constant = (constant * MULT_A) & MASK32
    value = (value * constant) & MASK32
    return value ^ (value >> S16), constant


@kernel
def _hash_b(value: np.uint64, constant: np.uint64) -> Any:
    """SeedSequence's hash of a word of its pool on the way out, and the next constant."""
    value = value ^ constant
    constant = (constant * MULT_B) & MASK32
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
    pool = (np.uint64(w0), np.uint64(w1), np.uint64(w2), np.uint64(w3))
    constant = INIT_A
    p0, constant = _hash_a(pool[0], constant)
    p1, constant = _hash_a(pool[1], constant)
    p2, constant = _hash_a(pool[2], constant)
    p3, constant = _hash_a(pool[3], constant)
    h, constant = _hash_a(p0, constant)
    p1 = _mix(p1, h)
    h, constant = _hash_a(p0, constant)
    p2 = _mix(p2, h)
    h, constant = _hash_a(p0, constant)
    p3 = _mix(p3, h)
    h, constant = _hash_a(p1, constant)
    p0 = _mix(p0, h)
    h, constant = _hash_a(p1, constant)
    p2 = _mix(p2, h)
    h, constant = _hash_a(p1, constant)
    p3 = _mix(p3, h)
    h, constant = _hash_a(p2, constant)
    p0 = _mix(p0, h)
    h, constant = _hash_a(p2, constant)
    p1 = _mix(p1, h)
    h, constant = _hash_a(p2, constant)
    p3 = _mix(p3, h)
    h, constant = _hash_a(p3, constant)
    p0 = _mix(p0, h)
    h, constant = _hash_a(p3, constant)
    p1 = _mix(p1, h)
    h, constant = _hash_a(p3, constant)
    p2 = _mix(p2, h)
    constant = INIT_B
    a0, constant = _hash_b(p0, constant)
    a1, constant = _hash_b(p1, constant)
    b0, constant = _hash_b(p2, constant)
    b1, constant = _hash_b(p3, constant)
    c0, constant = _hash_b(p0, constant)
    c1, constant = _hash_b(p1, constant)
    d0, constant = _hash_b(p2, constant)
    d1, constant = _hash_b(p3, constant)
    start_high, start_low = a0 | (a1 << S32), b0 | (b1 << S32)
    seq_high, seq_low = c0 | (c1 << S32), d0 | (d1 << S32)
    inc_high = (seq_high << ONE) | (seq_low >> S63)
    inc_low = (seq_low << ONE) | ONE
    # The state before the first step is 0, so the first step leaves the increment.
    low = inc_low + start_low
    high = inc_high + start_high + (ONE if low < inc_low else np.uint64(0))
    high, low = _step(high, low, inc_high, inc_low)
    state[0], state[1], state[2], state[3] = low, high, inc_low, inc_high


class Randomness:
    """All chance of one world: `at(key)` for a purpose, `stream(name)` for the six that go on and on."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._prefix = f"{seed}|"
        self._streams: dict[str, Generator] = {}

    def stream(self, name: str) -> Generator:
        """The persistent generator of that name; its draws are consumed in sequence."""
        if name not in self._streams:
            self._streams[name] = fresh(self.seed, f"stream|{name}")
        return self._streams[name]

    def at(self, key: str) -> Generator:
        """The generator of that key at its beginning; valid until the next call of `at`, of any world."""
        return _SHARED.at(WORDS.unpack_from(sha256((self._prefix + key).encode()).digest()))

    def uniform(self, key: str) -> float:
        """The first uniform number in [0, 1) of that key."""
        return self.at(key).random()

    def normal(self, key: str, sd: float) -> float:
        """The first normal number of that key, with mean 0."""
        return sd * self.at(key).standard_normal()


class _Shared:
    """One generator that is set back again and again."""

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
        self.state = np.frombuffer(numbers, dtype=np.uint64)

    def at(self, words: tuple[int, ...]) -> Generator:
        """The generator that NumPy would make of these four 32-bit words."""
        _seed(words[0], words[1], words[2], words[3], self.state)
        self._half.value = 0
        return self.generator

    def sound(self) -> bool:
        """Whether the state lies in memory as expected: tried on one seed."""
        number = entropy(101, "stream|field_traj")
        expected: Any = np.random.PCG64(np.random.SeedSequence(number)).state
        ours = self.at(WORDS.unpack(number.to_bytes(16, "little"))).bit_generator
        return bool(ours.state == expected)


class _Official:
    """The same by NumPy alone: slower, and independent of how it keeps its state."""

    def at(self, words: tuple[int, ...]) -> Generator:
        """The generator that NumPy would make of these four 32-bit words."""
        number = int.from_bytes(WORDS.pack(*words), "little")
        return np.random.default_rng(np.random.SeedSequence(number))


def _choose() -> _Shared | _Official:
    """The quick way where this version of NumPy allows it."""
    if INTERPRETED:
        return _Official()
    shared = _Shared()
    return shared if shared.sound() else _Official()


_SHARED = _choose()


def mean(values: list[float]) -> float:
    """NumPy's mean, in its order of summation (below 128 values), without making an array."""
    n = len(values)
    if n < 8:
        total = 0.0
        for value in values:
            total += value
        return total / n
    if n > 128:
        return float(np.mean(np.array(values)))
    r0, r1, r2, r3, r4, r5, r6, r7 = values[:8]
    last = n - n % 8
    for at in range(8, last, 8):
        r0 += values[at]
        r1 += values[at + 1]
        r2 += values[at + 2]
        r3 += values[at + 3]
        r4 += values[at + 4]
        r5 += values[at + 5]
        r6 += values[at + 6]
        r7 += values[at + 7]
    total = ((r0 + r1) + (r2 + r3)) + ((r4 + r5) + (r6 + r7))
    for value in values[last:]:
        total += value
    return total / n
