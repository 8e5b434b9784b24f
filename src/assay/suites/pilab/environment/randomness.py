"""Random numbers of the published world: a fresh NumPy generator for each purpose, made from its name.

`sigma * standard_normal()` is written out where a number is used and not left to `normal(mu, sigma)`, so that
no compiler can fuse the product with the sum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from assay.suites.pilab.environment import generators
from assay.suites.pilab.environment.generators import Generator


@cache
def source() -> generators.Quick | generators.Official:
    """Where the numbers of all worlds come from; chosen when the first is drawn, since that takes a while."""
    return generators.choose()


AHEAD = 12
"""Months whose numbers are drawn at once: a number depends on its key alone, and not on when it is drawn."""

MONTHLY: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "person": ((), ("quit", "crisis")),
    "project": (("prog",), ("scoop",)),
    "paper": ((), ("cite",)),
}
"""What is drawn each month for a thing of each kind: words of normal, and of uniform numbers."""


class Randomness:
    """All chance of one world, by key; the six streams are keys that are drawn from at length."""

    def __init__(self, seed: int, months: int = AHEAD) -> None:
        self.seed = seed
        self._months = months
        self._prefix = f"{seed}|"
        self._ahead: dict[str, tuple[int, list[tuple[float, ...]]]] = {}

    def at(self, key: str) -> Generator:
        """The generator of that key at its beginning; valid until the next draw of any world."""
        return source().at(self._prefix + key)

    def stream(self, name: str) -> Generator:
        """The generator of a stream at its beginning; all of it is drawn at once."""
        return self.at(f"stream|{name}")

    def uniform(self, key: str) -> float:
        """The first uniform number in [0, 1) of that key."""
        return self.at(key).random()

    def normal(self, key: str, sd: float) -> float:
        """The first normal number of that key, with mean 0."""
        return sd * self.at(key).standard_normal()

    def uniform_rows(self, keys: Sequence[str], n: int) -> list[list[float]]:
        """The first n uniform numbers of each key."""
        return source().uniform_rows([self._prefix + key for key in keys], n)

    def poissons(
        self, keys: Sequence[str], rates: Sequence[Sequence[float]]
    ) -> tuple[list[list[int]], list[float]]:
        """For each key a Poisson number for each of its rates, and the standard normal number after them."""
        return source().poissons([self._prefix + key for key in keys], rates)

    def normals(self, keys: Sequence[str]) -> list[float]:
        """The first standard normal number of each key."""
        return source().firsts([self._prefix + key for key in keys], ())

    def monthly(self, kind: str, identifier: str, month: int) -> tuple[float, ...]:
        """The first numbers of the keys `word|id|month` for the words of a kind in `MONTHLY`."""
        first, rows = self._ahead.get(identifier, NOTHING)
        if not 0 <= month - first < len(rows):
            first, rows = self._ahead[identifier] = month, self._draw(kind, identifier, month)
        return rows[month - first]

    def _draw(self, kind: str, identifier: str, month: int) -> list[tuple[float, ...]]:
        months = [str(m) for m in range(month, max(month, min(month + AHEAD - 1, self._months)) + 1)]
        normals, uniforms = (
            [stem + m for stem in [f"{self._prefix}{word}|{identifier}|" for word in words] for m in months]
            for words in MONTHLY[kind]
        )
        numbers, n = source().firsts(normals, uniforms), len(months)
        return list(zip(*(numbers[at : at + n] for at in range(0, len(numbers), n)), strict=True))


NOTHING: tuple[int, list[tuple[float, ...]]] = (0, [])


def mean(values: list[float]) -> float:
    """NumPy's mean, in its order of summation; without making an array of a few values, which is slow."""
    n = len(values)
    if n >= 8:
        return float(np.add.reduce(np.array(values)) / n)
    total = 0.0
    for value in values:
        total += value
    return total / n
