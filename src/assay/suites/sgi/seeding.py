"""Where the chance of an item comes from: a PCG64 stream of its own, and its place among the cells.

One item is one child stream, so item k depends neither on the number of items nor on the others. The raw 64
bits of PCG64 are numpy's promise for ever, what its generators make of them is not: so draws are those of
`assay.numbers.rng.Stream` over these bits.
"""

from __future__ import annotations

from collections.abc import Sequence

from numpy.random import PCG64, SeedSequence

from assay.numbers import rng
from assay.suites.sgi.families import Family

BLOCK = 64
"""Words drawn at once."""


class ItemStream(rng.Stream):
    """The draws of one attempt at one item.

    Its children depend on the seed of the item alone, so they are the same in every attempt and level. A
    prompt shows what they drew (which texts, which decisions are open), and whoever knew the seed could draw
    them again; to find it from a prompt 2**53 seeds would have to be tried, attempts or not.
    """

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


def item_seed(root: int, family: Family, index: int) -> int:
    """The seed of an item, one-way, so that a published item does not betray the root seed of its set."""
    return rng.stream(root, "sgi", family, index).bits() >> 11
