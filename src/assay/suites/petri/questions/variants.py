"""Tasks that ask for more than the paper's, or for something else (its sections 9 and 10); plain words.

`paired`: experiments may use the shared seeds as pairs. `vector`: every comparison shows all metrics, and the
answer is the parameter with its signature, the direction of its effect on each of them. `blind`: nobody says
which metric to look at; the answer names one that the hidden change moves. The last two exist at L1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PAIRED = "paired"
VECTOR = "vector"
BLIND = "blind"

EFFECTS = ("up", "down", "none")
"""What a signature says of a metric."""


def variant_of(public: Mapping[str, Any]) -> str:
    """The variant of a task; empty for the paper's."""
    return str(public.get("variant", ""))


def asks_for_signature(public: Mapping[str, Any]) -> bool:
    """Whether the truth is a signature, and no target is told."""
    return variant_of(public) in (VECTOR, BLIND)


def strongest(vector: Mapping[str, Mapping[str, Any]]) -> str:
    """The metric that a vector of comparisons shows most clearly; ties: the larger effect, then the first."""
    return min(
        vector, key=lambda m: (vector[m]["p_adjusted"], vector[m]["p"], -abs(vector[m]["cliffs_delta"]))
    )


def signature(vector: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """What a vector of comparisons says of each metric: up, down, or none where it is not significant."""
    return {
        metric: EFFECTS[statistics["cliffs_delta"] < 0] if statistics["significant"] else EFFECTS[2]
        for metric, statistics in vector.items()
    }
