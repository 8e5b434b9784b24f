"""The hidden disturbance H: after every intervention a shift drawn anew, of variables nobody can name."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Disturbance:
    """The values of H and the variables that it shifts: value + weight * H, after a variable's own rounding.

    `initial` is its value before the first intervention; `affected` are variables, the target included where
    it says so.
    """

    values: tuple[float, ...]
    affected: tuple[str, ...]
    weight: float = 1
    initial: float = 0

    def to_json(self) -> dict[str, Any]:
        """The object `hidden_variable` of a model's file."""
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
    """The disturbance of a checked object `hidden_variable`; None where it is not enabled."""
    if not value.get("enabled", True):
        return None
    return Disturbance(
        values=tuple(value["value_space"]),
        affected=tuple(value["affected_nodes"]),
        weight=value.get("edge_weight", 1),
        initial=value.get("initial_value", 0),
    )


def sequence(values: tuple[float, ...], graph_id: str, env_seed: int) -> Iterator[float]:
    """The endless sequence of H in one episode: a function of the graph and the episode's seed.

    The original's generator was never seeded, so the sequences of the published runs are lost.
    """
    chance = random.Random(f"{graph_id}|{env_seed}|H")
    while True:
        yield chance.choice(values)
