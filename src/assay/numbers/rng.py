"""Random streams by name.

A stream is a 64-bit key that is computed from a seed and names. Its i-th draw is a SplitMix64 hash of key and
index (Steele, Lea and Flood 2014), so draws of one stream do not depend on draws of another. The arithmetic
is on Python integers and gives the same numbers on every machine. `assay.numbers.draws` makes the same draws
inside compiled kernels.
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
    """Apply SplitMix64's finaliser, a bijection of 64-bit integers."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


class Stream:
    """The random numbers of one key, drawn one after another.

    Attributes:
        key: The key, in [0, 2**64).
        at: The number of draws so far.

    Example:
        >>> urn = stream(7, "urn")
        >>> urn.uniform()
        0.934302323372802
        >>> [urn.below(6) for _ in range(5)]
        [5, 4, 5, 4, 3]
        >>> urn.sample("abcdef", 3)
        ['d', 'b', 'c']
    """

    __slots__ = ("at", "key")

    def __init__(self, key: int) -> None:
        self.key = key & MASK
        self.at = 0

    def bits(self) -> int:
        """Return the next 64 bits as an integer."""
        self.at += 1
        # `mix` is inlined, because the function call would take half of the time.
        z = (self.key + self.at * GOLDEN) & MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def uniform(self) -> float:
        """Return a uniform number in (0, 1).

        It is (n + 1/2) / 2**52 with 52 random bits n, which is an exact float and never 0 or 1.
        """
        return ((self.bits() >> 12) + 0.5) * 2.0**-52

    def below(self, n: int) -> int:
        """Return an integer in [0, n).

        Raises:
            ValueError: If n is not in [1, 2**31).
        """
        if not 0 < n < 1 << 31:
            raise ValueError(f"below({n}): n must lie in 1 .. 2**31 - 1")
        return ((self.bits() >> 32) * n) >> 32

    def choice(self, items: Sequence[T]) -> T:
        """Return a random item."""
        return items[self.below(len(items))]

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Shuffle the items in place (Fisher-Yates)."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]

    def sample(self, items: Sequence[T], k: int) -> list[T]:
        """Return `k` items from different places, in random order."""
        pool = list(items)
        self.shuffle(pool)
        return pool[:k]

    def child(self, *names: str | int) -> Stream:
        """Return the stream with these names under this one; it does not depend on earlier draws."""
        return stream(self.key, *names)


def stream(seed: int, *names: str | int) -> Stream:
    """Return the stream with these names under a seed.

    Args:
        seed: Any integer.
        names: What the draws are used for, from the general to the specific.

    Example:
        >>> stream(1, "petri", "core-v0/0", "replicate", 7).key
        5061745692712554522
    """
    text = canonical.dumps([seed, *names])
    return Stream(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little"))
