"""How many tasks tell two agents apart: power of a paired comparison, by simulation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.numbers.rng import GOLDEN, Stream
from assay.numbers.stats import QUANTILE

SIMULATIONS = 1000
MOST = 10_000
"""The largest number of tasks that is looked at."""


def paired_power(differences: Sequence[int], tasks: int, stream: Stream, simulations: int) -> float:
    """The share of simulated sets in which the first of two agents is significantly better.

    A set is `tasks` differences drawn with replacement; the test is Student's, two-sided at .05. Sums run
    over whole numbers and are exact, so that the result has the same bits on every machine.

    Args:
        differences: of each task, the score of the better agent less that of the other, as whole numbers
            below 2**20 (scale floats first).
        tasks: the size of a simulated set, at least 2.
        stream: its key decides the draws.
        simulations: how many sets are drawn.
    """
    values = np.asarray(differences, dtype=np.int64)
    sums = np.zeros(simulations, dtype=np.int64)
    squares = np.zeros(simulations, dtype=np.int64)
    for drawn in range(tasks):
        at = np.arange(1, simulations + 1, dtype=np.uint64) + np.uint64(drawn * simulations)
        chosen = values[_draw(stream.key, at, len(values))]
        sums += chosen
        squares += chosen * chosen
    n = float(tasks)
    total = sums.astype(np.float64)
    spread = n * squares.astype(np.float64) - total * total  # n (n - 1) times the variance
    critical = student(tasks - 1)
    significant = (sums > 0) & (total * total * (n - 1.0) > critical * critical * spread)
    return int(significant.sum()) / simulations


def tasks_needed(
    differences: Sequence[int], stream: Stream, power: float = 0.8, simulations: int = SIMULATIONS
) -> int | None:
    """The smallest number of tasks with that power, to within a twentieth of it; None above `MOST`.

    >>> from assay.numbers.rng import stream
    >>> tasks_needed([1, 1, 1, 1], stream(0, "always better"))
    2
    """
    if sum(differences) <= 0:
        return None
    least, most = 1, 2
    while paired_power(differences, most, stream, simulations) < power:
        least, most = most, 2 * most
        if least >= MOST:
            return None
    while most - least > max(1, least // 20):
        middle = (least + most) // 2
        if paired_power(differences, middle, stream, simulations) < power:
            least = middle
        else:
            most = middle
    return most


def student(freedom: float) -> float:
    """The quantile of Student's t at .975 (Abramowitz and Stegun 1964, 26.7.5): to 1 % from 4 degrees on."""
    z = QUANTILE
    square = z * z
    first = z * (square + 1) / 4
    second = z * ((5 * square + 16) * square + 3) / 96
    third = z * (((3 * square + 19) * square + 17) * square - 15) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3


def _draw(key: int, at: np.ndarray, n: int) -> np.ndarray:
    """The integers below `n` that a stream with this key draws as its `at`-th; as `Stream.below`."""
    z = np.uint64(key) + at * np.uint64(GOLDEN)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    drawn: np.ndarray = ((z >> np.uint64(32)) * np.uint64(n) >> np.uint64(32)).astype(np.int64)
    return drawn
