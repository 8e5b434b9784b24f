"""Random numbers of the published world: a fresh NumPy generator for each purpose, made from its name.

`sigma * standard_normal()` is written out where a number is used and not left to `normal(mu, sigma)`, so that
no compiler can fuse the product with the sum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from assay.suites.pilab import generators
from assay.suites.pilab.generators import Generator

SOURCE: generators.Quick | generators.Official = generators.choose()
"""Where the numbers of all worlds come from."""

AHEAD = 12
"""Months for which `Ahead` draws at once."""

MONTHLY: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "person": (("report", "sent"), ("quit", "crisis")),
    "project": (("prog",), ("scoop",)),
    "paper": ((), ("cite",)),
}
"""What is drawn each month for a thing of each kind: words of normal, and of uniform numbers."""


class Randomness:
    """All chance of one world, by key; the six streams are keys that are drawn from at length."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._prefix = f"{seed}|"
        self._ahead: dict[str, Ahead] = {}

    def at(self, key: str) -> Generator:
        """The generator of that key at its beginning; valid until the next draw of any world."""
        return SOURCE.at(self._prefix + key)

    def stream(self, name: str) -> Generator:
        """The generator of a stream at its beginning; all of it is drawn at once."""
        return self.at(f"stream|{name}")

    def uniform(self, key: str) -> float:
        """The first uniform number in [0, 1) of that key."""
        return self.at(key).random()

    def normal(self, key: str, sd: float) -> float:
        """The first normal number of that key, with mean 0."""
        return sd * self.at(key).standard_normal()

    def uniforms(self, keys: Sequence[str]) -> list[float]:
        """The first uniform number of each key."""
        return SOURCE.uniforms([self._prefix + key for key in keys])

    def uniform_rows(self, keys: Sequence[str], n: int) -> list[list[float]]:
        """The first n uniform numbers of each key."""
        return SOURCE.uniform_rows([self._prefix + key for key in keys], n)

    def normals(self, keys: Sequence[str]) -> list[float]:
        """The first standard normal number of each key."""
        return SOURCE.normals([self._prefix + key for key in keys])

    def poissons(
        self, keys: Sequence[str], rates: Sequence[Sequence[float]]
    ) -> tuple[list[list[int]], list[float]]:
        """For each key a Poisson number for each of its rates, and the standard normal number after them."""
        return SOURCE.poissons([self._prefix + key for key in keys], rates)

    def monthly(self, kind: str, identifier: str, month: int) -> tuple[float, ...]:
        """The first numbers of the keys `word|id|month` for the words of a kind in `MONTHLY`."""
        ahead = self._ahead.get(identifier)
        if ahead is None:
            ahead = self._ahead[identifier] = Ahead(self, identifier, *MONTHLY[kind])
        return ahead.of(month)


class Ahead:
    """What chance holds for one person, project or paper each month: keys `word|id|month`, a year at once.

    A number depends on its key alone, so that it does not matter when it is drawn.
    """

    __slots__ = ("_first", "_id", "_normals", "_random", "_rows", "_uniforms")

    def __init__(
        self, random: Randomness, identifier: str, normals: tuple[str, ...], uniforms: tuple[str, ...]
    ) -> None:
        self._random, self._id = random, identifier
        self._normals, self._uniforms = normals, uniforms
        self._first = 0
        self._rows: list[tuple[float, ...]] = []

    def of(self, month: int) -> tuple[float, ...]:
        """The first standard normal number of each word of `normals`, the first uniform one of `uniforms`."""
        at = month - self._first
        if not 0 <= at < len(self._rows):
            self._draw(month)
            at = 0
        return self._rows[at]

    def _draw(self, month: int) -> None:
        months = range(month, month + AHEAD)
        columns = [
            draw([f"{word}|{self._id}|{m}" for word in words for m in months])
            for draw, words in (
                (self._random.normals, self._normals),
                (self._random.uniforms, self._uniforms),
            )
        ]
        numbers = columns[0] + columns[1]
        self._first = month
        self._rows = list(
            zip(*(numbers[at : at + AHEAD] for at in range(0, len(numbers), AHEAD)), strict=True)
        )


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
