"""What is maximised: weights of the rewards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

ObjectiveName = Literal["novelty", "feasible"]


@dataclass(frozen=True)
class Objective:
    """Weights of form, novelty and soundness in the total, and what is best under them."""

    format: float
    novelty: float
    soundness: float
    optimises: str

    def total(self, form: float, new: float, sound: float) -> float:
        """The reward of a reply."""
        return self.format * form + self.novelty * new + self.soundness * sound


OBJECTIVES: Mapping[ObjectiveName, Objective] = {
    "novelty": Objective(
        1.0,
        1.0,
        0.0,
        "the published one: any answer of the right form that is far from the related works; whether it "
        "makes sense does not count",
    ),
    "feasible": Objective(
        1.0,
        1.0,
        1.0,
        "ours: the same, and the answer must be a plan: parts, steps of known types with quantities, an "
        "order without cycles that reaches all of them",
    ),
}
