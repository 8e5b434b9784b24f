"""Numbers of the sealed task sets: continuous weights of either sign, crystals whose scale says nothing.

With the released numbers (coefficients 1 to 3, bases from 0 to 100) two records give away the target's
equation, and the direction of every edge: a cause is never larger than its effect. Here each weight is drawn
from a normal distribution, each property has a centre and a spread of its own, and the target has an
intercept of its own, so that records without an intervention leave the mechanism open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from assay.numbers.portable import norminv
from assay.numbers.rng import Stream
from assay.suites.causalab.model.variables import TARGET, base_key, token

WEIGHT_SPREAD: Final = 1.0
"""Standard deviation of a weight between properties; its mean is 0."""

TARGET_SPREAD: Final = 10.0
"""Standard deviation of a weight of the target (Hz per unit), so that 5 Hz are a small part of its range."""

SMALLEST_WEIGHT: Final = 0.02
"""Weights below this size are drawn again: two decimals would not show their effects."""

DECIMALS: Final = 3
"""Decimals of a weight; the brief states them (`simulation.briefing.WEIGHT_DECIMALS`)."""

CENTRE: Final = (50.0, 60.0)
"""Mean and standard deviation of the centre of a property's start values."""

SPREADS: Final = (5.0, 10.0, 20.0, 40.0, 80.0)
"""Standard deviations of a property's start values around its centre, all equally likely."""

INTERCEPT: Final = (5000.0, 500.0)
"""Mean and standard deviation of the target's intercept."""

Parents = Mapping[str, Sequence[str]]


def normal(stream: Stream, mean: float, spread: float) -> float:
    """Draw from a normal distribution, with the same bits on every machine."""
    return mean + spread * float(norminv(stream.uniform()))


def weight(stream: Stream, spread: float) -> float:
    """Draw the weight of an edge."""
    while True:
        drawn = round(normal(stream, 0.0, spread), DECIMALS)
        if abs(drawn) >= SMALLEST_WEIGHT:
            return drawn


def numbers(
    names: Sequence[str], parents: Parents, stream: Stream
) -> tuple[dict[str, dict[str, float]], dict[str, Any]]:
    """Draw the parameters of a linear model.

    Returns:
        The parameters of each variable's equation, and nothing to add to the model's file. The bases of
        properties that can be set are never used, because each crystal brings its own.
    """
    params: dict[str, dict[str, float]] = {}
    for name in names:
        params[name] = {base_key(name): round(normal(stream, *(INTERCEPT if name == TARGET else CENTRE)), 2)}
        spread = TARGET_SPREAD if name == TARGET else WEIGHT_SPREAD
        for parent in parents[name]:
            params[name][f"coeff_{token(parent)}_{token(name)}"] = weight(stream, spread)
    return params, {}


def crystals(names: Sequence[str], count: int, stream: Stream) -> list[dict[str, float]]:
    """Draw the start values of `count` crystals, which share each property's centre and spread."""
    scales = {name: (normal(stream, *CENTRE), stream.choice(SPREADS)) for name in names}
    return [{name: round(normal(stream, *scales[name]), 2) for name in names} for _ in range(count)]
