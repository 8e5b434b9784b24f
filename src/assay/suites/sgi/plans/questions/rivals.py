"""Which of four rate laws holds, of a substrate and an inhibitor over four decades each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from assay.numbers.rng import Stream
from assay.suites.sgi.plans.questions import power, products

ASKED = 2
PARAMETERS = {"k": (0.2, 0.8), "ki": (0.2, 0.8)}
MODELS = ("hyperbolic", "sigmoid")
LAWS = ("competitive", "uncompetitive", "noncompetitive", "cooperative")
NOISE = 2.0
TURNS = len(LAWS)
GRID = np.linspace(0.1, 0.9, 9)


def draw(stream: Stream, usual: Sequence[float]) -> dict[str, float]:
    """Constants of substrate and inhibitor, scaled like the factors."""
    found = {name: round(0.22 + 0.56 * stream.uniform(), 4) for name in PARAMETERS}
    return {"form": float(stream.below(2)), **found}


def rate(law: int, s: Any, i: Any, k: Any, ki: Any) -> Any:
    """The rate of a law as a share of its largest, at `s` and `i` of substrate and inhibitor."""
    bound = i / ki
    if law == 0:
        return s / (k * (1 + bound) + s)
    if law == 1:
        return s / (k + s * (1 + bound))
    return s / (k + s) / (1 + (bound if law == 2 else bound * bound))


def signal(parameters: Mapping[str, float], x: Any, turn: int) -> Any:
    """The rate as a share of its largest."""
    s, i = power(x).T
    k, ki = power([parameters["k"], parameters["ki"]])
    return rate(turn, s * s, i, k * k, ki) if parameters["form"] else rate(turn, s, i, k, ki)


def decide(x: Any, seen: Any, model: str) -> Any:
    """Which laws explain the readings best, by least squares with a free scale; those within rounding tie."""
    rates, squares = _candidates(np.ascontiguousarray(x).tobytes(), model == MODELS[1])
    across = products(rates, seen)
    left = ((seen * seen).sum(axis=1)[:, None, None] - across * across / squares).min(axis=2)
    return left <= left.min(axis=1, keepdims=True) * (1 + 1e-6) + 1e-12


@lru_cache(maxsize=256)
def _candidates(settings: bytes, sigmoid: bool) -> tuple[Any, Any]:
    """Rates of all laws over a grid of constants, of shape (laws, constants, runs); and sums of squares."""
    s, i = power(np.frombuffer(settings).reshape(-1, ASKED)).T
    k, ki = (axis.reshape(-1, 1) for axis in np.meshgrid(power(GRID), power(GRID)))
    if sigmoid:
        s, k = s * s, k * k
    rates = np.array([rate(law, s[None, :], i[None, :], k, ki) for law in range(TURNS)])
    return rates, np.maximum((rates * rates).sum(axis=2), 1e-12)


def value(parameters: Mapping[str, float], decisions: Any, turns: Any) -> Any:
    """Whether the law was named, less what naming one by chance gives."""
    share = decisions[np.arange(len(turns)), turns] / decisions.sum(axis=1)
    return (share - 1 / TURNS) / (1 - 1 / TURNS)


def places(parameters: Mapping[str, float]) -> Sequence[float]:
    """Around both constants the laws differ most."""
    return [parameters["k"], parameters["ki"]]
