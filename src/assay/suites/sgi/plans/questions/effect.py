"""A question about a treatment whose effect depends on a marker: which subjects gain more than it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.numbers.rng import Stream

ASKED = 2
PARAMETERS = {"base": (0.1, 0.8), "slope": (-0.5, 0.5), "effect": (-0.6, 0.6), "depends": (-1.2, 1.2)}
MODELS = ("straight", "bent")
NOISE = 2.5
TURNS = 1
PRICE = 0.2
"""The treatment is worth it where it adds more than this share of what there is without it."""

MARKERS = np.linspace(0.0, 1.0, 21)


def draw(stream: Stream, usual: Sequence[float]) -> dict[str, float]:
    """An effect that is worth its price for some, and on the whole not, so that treating all gains little."""
    while True:
        found = {
            "form": float(stream.below(2)),
            "base": round(0.3 + 0.2 * stream.uniform(), 4),
            "slope": round(0.3 * (2 * stream.uniform() - 1), 4),
            "effect": round(0.4 * (2 * stream.uniform() - 1), 4),
            "depends": round((0.3 + 0.4 * stream.uniform()) * (1 if stream.below(2) else -1), 4),
        }
        gain = _gain(found)
        best = gain[gain > 0].sum()
        if best > 0.6 and gain.sum() < 0.3 * best and (gain > 0).sum() >= 5:
            return found


def _gain(parameters: Mapping[str, float]) -> Any:
    """What treating is worth at each marker."""
    effect = parameters["effect"] + parameters["depends"] * _shape(MARKERS, parameters["form"])
    return effect - PRICE * (parameters["base"] + parameters["slope"] * MARKERS)


def _shape(marker: Any, form: float) -> Any:
    """What the effect is linear in: the marker, or its squared distance from the middle."""
    return (2.0 * marker - 1.0) ** 2 if form else marker


def signal(parameters: Mapping[str, float], x: Any, turn: int) -> Any:
    """The response to a share of the treatment, at a marker."""
    treatment, marker = x.T
    base = parameters["base"] + parameters["slope"] * marker
    return base + treatment * (
        parameters["effect"] + parameters["depends"] * _shape(marker, parameters["form"])
    )


def decide(x: Any, seen: Any, model: str) -> Any:
    """At which markers to treat, by ordinary least squares."""
    treatment, marker = x.T
    form = float(MODELS.index(model))
    columns = [np.ones(len(x)), treatment, marker, treatment * _shape(marker, form)]
    fitted: Any = np.linalg.lstsq(np.array(columns).T, seen.T, rcond=1e-9)[0]
    a, b, c, d = np.round(fitted, 9)[:, :, None]
    return b + d * _shape(MARKERS, form) > PRICE * (a + c * MARKERS)


def value(parameters: Mapping[str, float], decisions: Any, turns: Any) -> Any:
    """The gain of those who are treated, as a share of the largest."""
    gain = _gain(parameters)
    return np.maximum((gain * decisions).sum(axis=1) / max(float(gain[gain > 0].sum()), 1e-9), -1.0)


def places(parameters: Mapping[str, float]) -> Sequence[float]:
    """The middle: both factors have to be varied over their range."""
    return [0.5, 0.5]
