"""Named random streams: a draw depends only on what it is for.

A stream is a 64-bit key made from a seed and names; its i-th draw is a SplitMix64 hash of key and index
(Steele, Lea and Flood 2014), so that streams need no state and no order of calls. Pure Python integers:
the same numbers on every machine. `assay.numbers.draws` gives the same draws inside compiled kernels.
"""

from __future__ import annotations

import hashlib
from collections.abc import MutableSequence, Sequence
from typing import TypeVar

from assay import canonical

T = TypeVar("T")

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(z: int) -> int:
    """SplitMix64's finaliser: a bijection of 64-bit integers."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


class Stream:
    """A sequence of draws under one key; `at` counts the draws taken so far."""

    __slots__ = ("at", "key")

    def __init__(self, key: int) -> None:
        self.key = key & MASK
        self.at = 0

    def bits(self) -> int:
        """The next 64 bits."""
        self.at += 1
        z = (self.key + self.at * GOLDEN) & MASK  # `mix`, written out: half of a draw's time is the call
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def uniform(self) -> float:
        """A uniform number in (0, 1), exact: 52 bits and a half, so that neither end can come."""
        return ((self.bits() >> 12) + 0.5) * 2.0**-52

    def below(self, n: int) -> int:
        """An integer in [0, n) for n < 2**31; `ValueError` where there is none."""
        if not 0 < n < 1 << 31:
            raise ValueError(f"below({n}): n must lie in 1 .. 2**31 - 1")
        return ((self.bits() >> 32) * n) >> 32

    def choice(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.below(len(items))]

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Bring the items into random order, in place (Fisher-Yates)."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]

    def sample(self, items: Sequence[T], k: int) -> list[T]:
        """`k` different items, in random order."""
        pool = list(items)
        self.shuffle(pool)
        return pool[:k]

    def child(self, *names: str | int) -> Stream:
        """A stream of its own below this one; independent of how many draws were taken."""
        return stream(self.key, *names)


def stream(seed: int, *names: str | int) -> Stream:
    """The stream of these names under a seed, e.g. `stream(seed, "petri", task_id, "replicate", 7)`."""
    text = canonical.dumps([seed, *names])
    return Stream(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little"))
