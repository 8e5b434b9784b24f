"""Group-relative policy optimisation: its arithmetic, for reading and tests; models are trained by TRL."""

from __future__ import annotations

import math
from collections.abc import Sequence

EPSILON = 1e-4
"""Added to the standard deviation, as TRL does."""


def advantages(rewards: Sequence[float], epsilon: float = EPSILON, population: bool = False) -> list[float]:
    """(R - mean) / (std + epsilon) within a group; all 0 where all rewards are equal.

    The standard deviation is that of a sample (n - 1), as in TRL; `population` divides by n.
    """
    n = len(rewards)
    mean = math.fsum(rewards) / n
    squares = math.fsum((reward - mean) ** 2 for reward in rewards)
    deviation = math.sqrt(squares / (n if population or n == 1 else n - 1))
    return [(reward - mean) / (deviation + epsilon) for reward in rewards]


def clipped(ratio: float, advantage: float, epsilon: float = 0.2) -> float:
    """The objective of one token: the smaller of plain and clipped ratio times advantage."""
    return min(ratio * advantage, min(max(ratio, 1.0 - epsilon), 1.0 + epsilon) * advantage)
