"""How many tasks tell two agents apart: power of a paired comparison, by simulation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.numbers.resampling import indices
from assay.numbers.rng import Stream
from assay.numbers.student import quantile

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
        chosen = values[indices(stream.key, drawn * simulations + 1, simulations, len(values))]
        sums += chosen
        squares += chosen * chosen
    n = float(tasks)
    total = sums.astype(np.float64)
    spread = n * squares.astype(np.float64) - total * total  # n (n - 1) times the variance
    critical = quantile(0.05, tasks - 1)
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
