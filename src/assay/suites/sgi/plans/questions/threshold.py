"""At which dose a response exceeds its background by 5 % of the whole, over four decades of dose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from assay.numbers.rng import Stream
from assay.suites.sgi.plans.questions import DECADES, power, products

ASKED = 1
PARAMETERS = {"middle": (0.1, 0.95), "steep": (0.4, 3.0), "background": (0.0, 0.6)}
MODELS = ("interpolated", "curve")
NOISE = 1.0
TURNS = 1
EXCESS = 0.05
RANGE = 0.125
"""An error of half a decade is worth nothing."""

MIDDLES, STEEPS = np.linspace(0.05, 1.0, 77), np.linspace(0.4, 2.4, 11)


def draw(stream: Stream, usual: Sequence[float]) -> dict[str, float]:
    """A sigmoid whose threshold is a decade or more away from the usual dose."""
    while True:
        found = {
            "middle": round(0.3 + 0.6 * stream.uniform(), 4),
            "steep": round(0.6 + 1.4 * stream.uniform(), 4),
            "background": round(0.4 * stream.uniform(), 4),
        }
        if abs(threshold(found) - usual[0]) >= 2 * RANGE and threshold(found) >= 0.03:
            return found


def threshold(parameters: Mapping[str, float]) -> float:
    """The scaled dose at which the excess is `EXCESS` of the range of the response."""
    return float(_at_excess(parameters["middle"], parameters["steep"]))


def _at_excess(middle: Any, steep: Any) -> Any:
    return middle - 1.2787536 / (DECADES * steep)  # log10(0.95/0.05)


def _sigmoid(x: Any, middle: Any, steep: Any) -> Any:
    u = power(0.5 + (x - middle) * steep)
    return u / (1 + u)


def signal(parameters: Mapping[str, float], x: Any, turn: int) -> Any:
    """Background and sigmoid."""
    low = parameters["background"]
    return low + (1 - low) * _sigmoid(x[:, 0], parameters["middle"], parameters["steep"])


def decide(x: Any, seen: Any, model: str) -> Any:
    """The dose at the threshold: between two readings, or from a fitted curve."""
    order = np.argsort(x[:, 0], kind="stable")
    dose, means = x[order, 0], seen[:, order]
    if model == MODELS[0] or len(set(dose.tolist())) < 3:
        return np.array([_between(dose, mean) for mean in means])
    centred = means - means.mean(axis=1, keepdims=True)
    curves, squares = _curves(dose.tobytes())
    across = np.maximum(products(curves, centred), 0.0)
    left = np.round((centred * centred).sum(axis=1)[:, None, None] - across * across / squares, 12)
    at = np.argmin(left.reshape(len(seen), -1), axis=1)
    return _at_excess(MIDDLES[at % len(MIDDLES)], STEEPS[at // len(MIDDLES)])


def _between(dose: Any, mean: Any) -> float:
    """The dose at which readings pass the threshold, on a straight line between neighbours."""
    level = mean[0] + EXCESS * (mean.max() - mean[0])
    above = np.flatnonzero(mean > level)
    if not len(above) or above[0] == 0:
        return float(dose[0])
    at = int(above[0])
    share = (level - mean[at - 1]) / max(mean[at] - mean[at - 1], 1e-12)
    return float(dose[at - 1] + share * (dose[at] - dose[at - 1]))


@lru_cache(maxsize=256)
def _curves(doses: bytes) -> tuple[Any, Any]:
    """Candidate curves at doses, less their means, of shape (steeps, middles, doses); and sums of squares."""
    dose = np.frombuffer(doses)
    curves = np.array([_sigmoid(dose[None, :], MIDDLES[:, None], steep) for steep in STEEPS])
    curves = curves - curves.mean(axis=2, keepdims=True)
    return curves, np.maximum((curves * curves).sum(axis=2), 1e-12)


def value(parameters: Mapping[str, float], decisions: Any, turns: Any) -> Any:
    """One less the error as a share of half a decade."""
    return np.maximum(1.0 - np.abs(decisions - threshold(parameters)) / RANGE, 0.0)


def places(parameters: Mapping[str, float]) -> Sequence[float]:
    """Between threshold and middle."""
    return [(parameters["middle"] + threshold(parameters)) / 2]
