"""Reading the stored curves: which value of a parameter gives an effect, with which spread and power."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assay.suites.petri.v1.ranges import WORLDS
from assay.suites.petri.worlds import Parameter, Side

DATA_FILES = ("market.store.json", "morph.store.json", "origin.store.json", "swarm.store.json")
FOLDER = Path(__file__).parent

TOLERANCE = 0.01
"""Largest difference between the wanted effect and that of the rounded value, in units of the control's
mean."""


@dataclass(frozen=True)
class Curve:
    """One side of a parameter from control outwards; `changes` grow in absolute value.

    Attributes:
        parameter: The parameter.
        values: Its values, from control outwards.
        changes: Relative change of the target's mean at each value; the sign is that of the side's direction.
        sds: Standard deviation of a run at each value.
        powers: Power of one comparison with the control at each value.
    """

    parameter: Parameter
    values: Sequence[float]
    changes: Sequence[float]
    sds: Sequence[float]
    powers: Sequence[float]

    @property
    def direction(self) -> str:
        return "up" if self.changes[-1] > 0 else "down"

    def value_at(self, size: float) -> float | None:
        """Return the rounded value whose effect has this absolute size, or None if there is none."""
        sizes = [abs(change) for change in self.changes]
        if not sizes[0] <= size <= sizes[-1]:
            return None
        value = self.parameter.rounded(_between(sizes, self.values, size))
        return value if abs(self.size_at(value) - size) <= TOLERANCE else None

    def size_at(self, value: float) -> float:
        """Return the absolute size of the effect at a value."""
        if self.values[-1] < self.values[0]:
            return _between([-v for v in self.values], [abs(change) for change in self.changes], -value)
        return _between(self.values, [abs(change) for change in self.changes], value)

    def sd_at(self, size: float) -> float:
        """Return the standard deviation of a run where the effect has this size."""
        return _between([abs(change) for change in self.changes], self.sds, size)

    def power_at(self, size: float) -> float:
        """Return the power of one comparison with the control where the effect has this size."""
        return _between([abs(change) for change in self.changes], self.powers, size)


@dataclass(frozen=True)
class Store:
    """The stored curves of a world: those of all sides that tasks may use, and the control's mean and
    spread."""

    mean: float
    sd: float
    curves: Mapping[tuple[str, Side], Curve]


@cache
def store(world: str) -> Store:
    """Return the stored curves of a world."""
    read = json.loads((FOLDER / f"{world}.store.json").read_text(encoding="utf-8"))
    curves = {
        (name, side): Curve(WORLDS[world].parameter(name), *zip(*rows, strict=True))
        for name, sides in sorted(read["sides"].items())
        for side, rows in sorted(sides.items())
    }
    return Store(read["control"]["mean"], read["control"]["sd"], curves)


def _between(xs: Sequence[float], ys: Sequence[float], x: float) -> float:
    """Interpolate linearly; beyond an end, the value at that end counts."""
    at = min(max(bisect_left(xs, x), 1), len(xs) - 1) if len(xs) > 1 else 0
    if not at:
        return ys[0]
    low, high = xs[at - 1], xs[at]
    share = min(1.0, max(0.0, (x - low) / (high - low)))
    return ys[at - 1] + share * (ys[at] - ys[at - 1])
