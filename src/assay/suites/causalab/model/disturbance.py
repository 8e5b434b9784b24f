"""The hidden disturbance H: a shift of some variables that is drawn anew after every intervention."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

RELEASED_WEIGHT = 0.5
"""Weight of a disturbance in a file that states none, as in the original."""


@dataclass(frozen=True)
class Disturbance:
    """The possible values of H and the variables that it shifts.

    An affected variable is shown as value + weight * H, where the value is rounded first. `initial` is H
    before the first intervention; `affected` may include the target.
    """

    values: tuple[float, ...]
    affected: tuple[str, ...]
    weight: float = 1
    initial: float = 0

    def to_json(self) -> dict[str, Any]:
        """Return the object `hidden_variable` as it is written to a model's file."""
        return {
            "enabled": True,
            "name": "h",
            "observable": False,
            "is_controllable": False,
            "initial_value": self.initial,
            "value_space": list(self.values),
            "edge_weight": self.weight,
            "affected_nodes": list(self.affected),
            "edges": [{"from": "h", "to": name} for name in self.affected],
        }


def from_json(value: Mapping[str, Any]) -> Disturbance | None:
    """Return the disturbance in a validated object `hidden_variable`, or None if it is not enabled."""
    if not value.get("enabled", True):
        return None
    return Disturbance(
        values=tuple(value["value_space"]),
        affected=tuple(value["affected_nodes"]),
        weight=value.get("edge_weight", RELEASED_WEIGHT),
        initial=value.get("initial_value", 0),
    )


def sequence(values: tuple[float, ...], key: str) -> Iterator[float]:
    """Yield the endless sequence of H in one episode, which depends only on `key`.

    The original generator was never seeded, so the sequences of the published runs cannot be reproduced.
    """
    chance = random.Random(key)
    while True:
        yield chance.choice(values)
