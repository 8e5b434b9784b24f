"""Where the chance of an item comes from: a PCG64 stream of its own, and its place among the cells.

One item is one child stream, so item k depends neither on the number of items nor on the others. The raw 64
bits of PCG64 are numpy's promise for ever, what its generators make of them is not: so draws are those of
`assay.numbers.rng.Stream` over these bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from numpy.random import PCG64, SeedSequence

from assay.numbers import rng
from assay.suites.sgi.families import CODES, Family

VERSION = 1
"""Of the generators: part of every seed."""

BLOCK = 64
"""Words drawn at once."""

T = TypeVar("T")


class ItemStream(rng.Stream):
    """The draws of one attempt at one item."""

    __slots__ = ("_drawn", "_source")

    def __init__(self, words: Sequence[int]) -> None:
        super().__init__(words[0])
        self._source = PCG64(SeedSequence(list(words)))
        self._drawn: list[int] = []  # in reverse: many at once are cheaper than one by one

    def bits(self) -> int:
        """The next 64 bits."""
        self.at += 1
        if not self._drawn:
            self._drawn = self._source.random_raw(BLOCK)[::-1].tolist()
        return self._drawn.pop()


def item_seed(root: int, family: str, index: int) -> int:
    """The seed of an item, one-way, so that a published item does not betray the root seed of its set."""
    return rng.stream(root, "sgi", family, index).bits() >> 11


def item_stream(seed: int, family: Family, level: int, index: int, attempt: int) -> ItemStream:
    """The stream of one attempt; `seed` is that of the item."""
    return ItemStream([seed, CODES[family], level, index, VERSION, attempt])


def permuted(root: int, family: Family, what: str, items: Sequence[T]) -> list[T]:
    """The items in an order that the root seed decides; balance comes from counting through it."""
    order = list(items)
    rng.stream(root, "sgi", family, what).shuffle(order)
    return order
