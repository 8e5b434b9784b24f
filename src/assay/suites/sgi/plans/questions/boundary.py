"""In which region of three settings a programme works."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.numbers.rng import Stream

ASKED = 3
PARAMETERS = {
    f"{what} {at}": (0.0, 1.0) if what == "middle" else (0.05, 0.6)
    for what in ("middle", "half")
    for at in (1, 2, 3)
}
MODELS = ("ellipsoid", "box")
NOISE = 1.0
TURNS = 1
STEPS = 9


def _lattice() -> Any:
    axis = (np.arange(STEPS) + 0.5) / STEPS
    return np.array(np.meshgrid(axis, axis, axis)).reshape(ASKED, -1).T


POINTS = _lattice()
"""Settings at which a region is compared with the truth."""


def draw(stream: Stream, usual: Sequence[float]) -> dict[str, float]:
    """An ellipsoid or a box that covers a part of the range and leaves out the usual setting."""
    while True:
        middles = {f"middle {at}": round(0.2 + 0.6 * stream.uniform(), 4) for at in (1, 2, 3)}
        halves = {f"half {at}": round(0.2 + 0.2 * stream.uniform(), 4) for at in (1, 2, 3)}
        found = {"form": float(stream.below(2)), **middles, **halves}
        if 1.0 < float(_radius(found, np.array([usual]))[0]) < 9.0:
            return found


def _radius(parameters: Mapping[str, float], x: Any) -> Any:
    """The squared distance from the middle in half axes, 1 at the border; in a box the largest of an axis."""
    total = np.zeros(len(x))
    for at in range(ASKED):
        part = (x[:, at] - parameters[f"middle {at + 1}"]) / parameters[f"half {at + 1}"]
        total = _joined(total, part * part, parameters["form"])
    return total


def _joined(total: Any, part: Any, form: float) -> Any:
    return np.maximum(total, part) if form else total + part


def signal(parameters: Mapping[str, float], x: Any, turn: int) -> Any:
    """How well the programme runs: one half at the border."""
    return 1.0 / (1.0 + _radius(parameters, x))


def decide(x: Any, seen: Any, model: str) -> Any:
    """Which points belong to the region, from runs that read half of the best or more."""
    most = seen.max(axis=1, keepdims=True)
    works = (seen >= 0.5 * most) & (most > 0)
    inside = np.where(most > 0, 0.0, 2.0) * np.ones(len(POINTS))
    for at in range(ASKED):
        low = np.where(works, x[:, at], 1.0).min(axis=1, keepdims=True)
        high = np.where(works, x[:, at], 0.0).max(axis=1, keepdims=True)
        below = np.where(x[:, at] < low, x[:, at], -1.0).max(axis=1, keepdims=True)
        above = np.where(x[:, at] > high, x[:, at], 2.0).min(axis=1, keepdims=True)
        low = np.where(below >= 0, (low + below) / 2, low - 0.05)
        high = np.where(above <= 1, (high + above) / 2, high + 0.05)
        part = (POINTS[:, at] - (low + high) / 2) / np.maximum((high - low) / 2, 1e-9)
        inside = _joined(inside, part * part, float(MODELS.index(model)))
    return np.round(inside, 9) <= 1.0


def value(parameters: Mapping[str, float], decisions: Any, turns: Any) -> Any:
    """The common part of both regions over their union, beyond what naming everything would give."""
    true = _radius(parameters, POINTS) <= 1.0
    whole = float(true.mean())
    common = (true & decisions).sum(axis=1) / np.maximum((true | decisions).sum(axis=1), 1.0)
    return np.maximum((common - whole) / (1.0 - whole), 0.0)


def places(parameters: Mapping[str, float]) -> Sequence[float]:
    """The middle of the region."""
    return [parameters[f"middle {at}"] for at in (1, 2, 3)]
