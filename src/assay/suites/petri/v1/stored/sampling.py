"""The simulations from which the stored curves are made: runs at 14 values on each side of each control
value.

The values lie denser near control. A coordinate k counts the steps from control (0) to the end of the range
(14); the values of whole-number parameters have the coordinate of the rounded value, so that a curve is a
function of k.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from assay.numbers import rng
from assay.numbers.portable import exp, log
from assay.suites.petri.v1.ranges import WORLDS
from assay.suites.petri.v1.runs import run
from assay.suites.petri.worlds import SIDES, Parameter, Side

STEPS = 14
BEND = 1.4
"""The value at the coordinate k lies at (k / STEPS) ** BEND of the way from control to the end."""

RUNS = {"swarm": 160, "market": 1536, "origin": 512, "social": 256, "morph": 80}
"""Number of runs of each value; the control has `OF_CONTROL` times as many."""

OF_CONTROL = 6

Samples = dict[tuple[str, Side], list[tuple[float, np.ndarray]]]
"""For each parameter and side: coordinates in ascending order, with the target of all runs there."""


@dataclass(frozen=True)
class Scale:
    """One side of a parameter: the map between coordinates and values."""

    parameter: Parameter
    end: float

    def value(self, k: float) -> float:
        """Return the rounded value at a coordinate from 0 to STEPS."""
        return self.parameter.rounded(self.exact(k))

    def exact(self, k: float) -> float:
        """Return the value at a coordinate before it is rounded."""
        if k <= 0:
            return float(self.parameter.control)
        way = exp(BEND * log(k / STEPS))
        return float(self.parameter.control + (self.end - self.parameter.control) * way)

    def coordinate(self, value: float) -> float:
        """Return the coordinate of a value on this side."""
        way = (value - self.parameter.control) / (self.end - self.parameter.control)
        return float(STEPS * exp(log(way) / BEND)) if way > 0 else 0.0


def scales(world: str) -> Iterator[tuple[str, Side, Scale]]:
    """Yield parameter, side and scale for every side that has room."""
    for parameter in WORLDS[world].parameters:
        for side, end in zip(SIDES, parameter.legal, strict=True):
            if end != parameter.control:
                yield parameter.name, side, Scale(parameter, end)


def seeds(world: str, name: str, place: str, n: int) -> list[int]:
    """Return the seeds of one value; no two values share any."""
    stream = rng.stream(0, "petri", "v1", "curve", world, name, place)
    return [stream.bits() >> 11 for _ in range(n)]


def control(world: str) -> np.ndarray:
    """Return the target of the control's runs: float64 (OF_CONTROL * RUNS[world],)."""
    return run(world, {}, seeds(world, "control", "", OF_CONTROL * RUNS[world]))


def samples(world: str) -> Samples:
    """Run a world at all values of all its parameters; this takes minutes."""
    made: Samples = {}
    for name, side, scale in scales(world):
        at = made.setdefault((name, side), [])
        values = dict.fromkeys(scale.value(k) for k in range(1, STEPS + 1))
        for value in values:
            if value != scale.parameter.rounded(scale.parameter.control):
                place = scale.coordinate(value)
                at.append((place, run(world, {name: value}, seeds(world, name, f"{value:g}", RUNS[world]))))
    return made
