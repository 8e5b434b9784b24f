"""Random numbers of the published world: a fresh NumPy generator for each purpose, seeded with its name.

Callers write `sigma * standard_normal()` instead of `normal(mu, sigma)`, so that no compiler can fuse the
product with the sum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from assay.suites.pilab.environment import generators
from assay.suites.pilab.environment.generators import Generator


@cache
def source() -> generators.Quick | generators.Official:
    """Return the source of all random numbers.

    It is chosen when the first number is drawn and not on import, because the choice takes a while.
    """
    return generators.choose()


AHEAD = 12
"""Months whose numbers are drawn at once; a number depends on its key alone, not on when it is drawn."""

MONTHLY: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "person": ((), ("quit", "crisis")),
    "project": (("prog",), ("scoop",)),
    "paper": ((), ("cite",)),
}
"""For each kind of entity, the names of the normal and of the uniform numbers that it draws each month."""


class Randomness:
    """The random numbers of one world, by key.

    Most keys give a few numbers each. The six streams (`stream`) are keys that give many numbers.
    """

    def __init__(self, seed: int, months: int = AHEAD) -> None:
        self.seed = seed
        self._months = months
        self._prefix = f"{seed}|"
        self._ahead: dict[str, tuple[int, list[tuple[float, ...]]]] = {}

    def at(self, key: str) -> Generator:
        """Return the generator of a key in its initial state, valid until the next draw in any world."""
        return source().at(self._prefix + key)

    def stream(self, name: str) -> Generator:
        """Return the generator of a stream in its initial state; all its numbers are to be drawn at once."""
        return self.at(f"stream|{name}")

    def uniform(self, key: str) -> float:
        """Return the first uniform number in [0, 1) of a key."""
        return self.at(key).random()

    def normal(self, key: str, sd: float) -> float:
        """Return the first normal number of a key, with mean 0 and standard deviation `sd`."""
        return sd * self.at(key).standard_normal()

    def uniform_rows(self, keys: Sequence[str], n: int) -> list[list[float]]:
        """Return the first `n` uniform numbers in [0, 1) of each key."""
        return source().uniform_rows([self._prefix + key for key in keys], n)

    def poissons(
        self, keys: Sequence[str], rates: Sequence[Sequence[float]]
    ) -> tuple[list[list[int]], list[float]]:
        """Return a Poisson number for each rate of each key, and each key's next standard normal number."""
        return source().poissons([self._prefix + key for key in keys], rates)

    def normals(self, keys: Sequence[str]) -> list[float]:
        """Return the first standard normal number of each key."""
        return source().firsts([self._prefix + key for key in keys], ())

    def monthly(self, kind: str, identifier: str, month: int) -> tuple[float, ...]:
        """Return the first number of the key `name|identifier|month` for each name of a kind in `MONTHLY`."""
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
    """Return the mean, summed in NumPy's order.

    Short lists are summed in Python, because making an array of a few values is slow.
    """
    n = len(values)
    if n >= 8:
        return float(np.add.reduce(np.array(values)) / n)
    total = 0.0
    for value in values:
        total += value
    return total / n
