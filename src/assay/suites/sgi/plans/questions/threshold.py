"""At which dose a response exceeds its background by 5 % of the whole, over four decades of dose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from assay.numbers.rng import Stream
from assay.suites.sgi.plans.questions import DECADES, LN10, exponential, products

ASKED = 1
PARAMETERS = {"middle": (0.1, 0.95), "steep": (0.4, 3.0), "background": (0.0, 0.6)}
MODELS = ("first hit", "last hit")
NOISE = 1.0
TURNS = 1
EXCESS = 0.05
LN2 = 0.6931471805599453
RANGE = 0.125
"""An error of half a decade is worth nothing."""

MIDDLES, STEEPS = np.linspace(0.05, 1.0, 77), np.linspace(0.4, 2.4, 11)


def draw(stream: Stream, usual: Sequence[float]) -> dict[str, float]:
    """A curve whose threshold is a decade or more away from the usual dose."""
    while True:
        found = {
            "form": float(stream.below(2)),
            "middle": round(0.3 + 0.6 * stream.uniform(), 4),
            "steep": round(0.6 + 1.4 * stream.uniform(), 4),
            "background": round(0.4 * stream.uniform(), 4),
        }
        if abs(threshold(found) - usual[0]) >= 2 * RANGE and threshold(found) >= 0.03:
            return found


def threshold(parameters: Mapping[str, float]) -> float:
    """The scaled dose at which the excess is `EXCESS` of the range of the response."""
    return float(_at_excess(parameters["middle"], parameters["steep"], parameters["form"]))


def _at_excess(middle: Any, steep: Any, form: float) -> Any:
    """Where `_curve` is `EXCESS`: at u = log2(20/19), or at u = 1/log2(20)."""
    return middle - (0.6356776 if form else 1.1307650) / (DECADES * steep)


def _curve(x: Any, middle: Any, steep: Any, form: float) -> Any:
    """1 - 2^-u, or 2^(-1/u), where u is a power of the dose that is 1 at the middle."""
    exponent = LN10 * DECADES * (x - middle) * steep
    return (
        exponential(-LN2 * exponential(-exponent)) if form else 1 - exponential(-LN2 * exponential(exponent))
    )


def signal(parameters: Mapping[str, float], x: Any, turn: int) -> Any:
    """Background and curve."""
    low = parameters["background"]
    return low + (1 - low) * _curve(x[:, 0], parameters["middle"], parameters["steep"], parameters["form"])


def decide(x: Any, seen: Any, model: str) -> Any:
    """The threshold of the curve that fits best, its scale and background free; 0 of fewer than 3 doses."""
    order = np.argsort(x[:, 0], kind="stable")
    dose, means = x[order, 0], seen[:, order]
    if len(set(dose.tolist())) < 3:
        return np.zeros(len(seen))
    form = float(MODELS.index(model))
    centred = means - means.mean(axis=1, keepdims=True)
    curves, squares = _curves(dose.tobytes(), form)
    across = np.maximum(products(curves, centred), 0.0)
    left = np.round((centred * centred).sum(axis=1)[:, None, None] - across * across / squares, 12)
    at = np.argmin(left.reshape(len(seen), -1), axis=1)
    return _at_excess(MIDDLES[at % len(MIDDLES)], STEEPS[at // len(MIDDLES)], form)


@lru_cache(maxsize=256)
def _curves(doses: bytes, form: float) -> tuple[Any, Any]:
    """Candidate curves at doses, less their means, of shape (steeps, middles, doses); and sums of squares."""
    dose = np.frombuffer(doses)
    curves = np.array([_curve(dose[None, :], MIDDLES[:, None], steep, form) for steep in STEEPS])
    curves = curves - curves.mean(axis=2, keepdims=True)
    return curves, np.maximum((curves * curves).sum(axis=2), 1e-12)


def value(parameters: Mapping[str, float], decisions: Any, turns: Any) -> Any:
    """One less the error as a share of half a decade."""
    return np.maximum(1.0 - np.abs(decisions - threshold(parameters)) / RANGE, 0.0)


def places(parameters: Mapping[str, float]) -> Sequence[float]:
    """Between threshold and middle."""
    return [(parameters["middle"] + threshold(parameters)) / 2]
