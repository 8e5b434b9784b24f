"""A laboratory with a response surface: runs of six to eight factors, a budget, noise and day effects.

The question `surface` asks for the best setting. In other worlds (`plans.questions`) the surface says how
well conditions suit a measurement, and the question is about further factors, the asked ones. Settings are
scaled to 0 .. 1 between the ends of each factor's range.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.numbers.portable import exp, log
from assay.numbers.rng import Stream
from assay.suites.sgi.plans.questions import question_of

World = dict[str, Any]

BETWEEN = (0.14, 0.38, 0.62, 0.86)
"""Best settings lie around these, halfway between the places that a decision can take."""


def draw(
    stream: Stream,
    widening: float,
    names: Sequence[Mapping[str, Any]],
    kind: str = "surface",
    asked: Sequence[Mapping[str, Any]] = (),
) -> World:
    """A world; `names` are factors of the skin with their natural ranges, `asked` those of the question."""
    count = 7 + stream.below(2) + (len(asked) not in (1, 2, 3))
    factors = [*asked, *stream.sample(list(names), count - len(asked))]
    stream.shuffle(factors)
    asked_at = [factors.index(factor) for factor in asked]
    conditions = [at for at in range(count) if at not in asked_at]
    matter = 4 + stream.below(3) if not asked else min(3 + stream.below(2), len(conditions) - 1)
    active = sorted(stream.sample(conditions, matter))
    usual = [round(0.15 + 0.7 * stream.uniform(), 3) for _ in factors]
    top, width = [0.0] * count, [0.0] * count
    for at in active:
        far = [middle for middle in BETWEEN if abs(middle - usual[at]) >= 0.22]
        top[at] = round(stream.choice(far) + 0.1 * (stream.uniform() - 0.5), 4)
        width[at] = round(
            (0.36 if asked else 0.27) * float(exp(log(1.8) * widening * (2 * stream.uniform() - 1))), 4
        )
    cross = round(1.2 * stream.uniform() - 0.6, 3)
    first, second = active[:2]
    # The dead half-space begins beyond the top, on a line through two active factors.
    lean = [1.0 if stream.below(2) else -1.0, 1.0 if stream.below(2) else -1.0]
    beyond = lean[0] * top[first] + lean[1] * top[second] + 0.12 + 0.3 * stream.uniform()

    def fold(middle: float, by: float) -> float:
        return float(f"{middle * float(exp(log(by) * widening * (2 * stream.uniform() - 1))):.5g}")

    world: World = {
        "kind": kind,
        "asked": asked_at,
        "parameters": {},
        "true": 0,
        "factors": [dict(factor) for factor in factors],
        "active": active,
        "usual": usual,
        "top": top,
        "width": width,
        "cross": cross,
        "dead": {"factors": [first, second], "lean": lean, "beyond": round(beyond, 4)},
        "day_effect": fold(0.15, 4.0),
        "saturation": fold(1.0, 5.0),
        "noise": {"cheap": fold(0.03, 4.0), "exact": fold(0.03, 4.0)},
        "price": {"cheap": fold(1.0, 2.0), "exact": fold(4.0, 2.5), "shuffling": fold(0.5, 5.0)},
        "day_capacity": stream.choice((4, 6, 8, 12)),
        "budget": 0.0,
        "key": stream.bits() >> 11,
    }
    question = question_of(world)
    runs = fold(20.0, 2.5)
    if question is not None:
        world["parameters"] = question.draw(stream, [usual[at] for at in asked_at])
        world["true"] = stream.below(question.TURNS)
        scale = question.NOISE
        world["noise"] = {name: float(f"{scale * value:.5g}") for name, value in world["noise"].items()}
        runs *= 2
    world["budget"] = float(f"{world['price']['exact'] * runs:.3g}")
    return world


def conditions(world: Mapping[str, Any], settings: Any) -> Any:
    """How well settings suit the measurement, an array of shape (runs,); 1 at the top."""
    active = world["active"]
    shifted = [(settings[:, at] - world["top"][at]) / world["width"][at] for at in active]
    q = world["cross"] * shifted[0] * shifted[1] if len(shifted) > 1 else 0.0
    for part in shifted:
        q = q + part * part
    dead = world["dead"]
    a, b = dead["factors"]
    beyond = dead["lean"][0] * settings[:, a] + dead["lean"][1] * settings[:, b] > dead["beyond"]
    return np.where(beyond, 0.0, 1.0 / (1.0 + q / 2.0))


def response(world: Mapping[str, Any], settings: Any, turn: int = 0) -> Any:
    """The noise-free response of scaled settings, an array of shape (runs,) or (runs, readings).

    Args:
        world: a world.
        settings: scaled settings, of shape (runs, factors).
        turn: which of several rivals is true.
    """
    question, suited = question_of(world), conditions(world, settings)
    if question is None:
        return suited
    signal = question.signal(world["parameters"], settings[:, world["asked"]], turn)
    return (suited * signal.T).T


def usual_value(world: Mapping[str, Any]) -> float:
    """How well the usual setting suits the measurement."""
    return float(conditions(world, np.array([world["usual"]]))[0])


def gains(world: Mapping[str, Any], decisions: Any, turns: Any) -> Any:
    """The value of the decision of each repetition, within -1 .. 1.

    On a surface it is the gain over the usual setting as a share of the largest.
    """
    question = question_of(world)
    if question is not None:
        return question.value(world["parameters"], decisions, turns)
    base = usual_value(world)
    return np.clip((response(world, decisions) - base) / (1.0 - base), -1.0, 1.0)


def scaled(world: Mapping[str, Any], at: int, value: float) -> float:
    """A natural value on the scale of its factor."""
    factor = world["factors"][at]
    if factor.get("scale") == "log":
        return float(log(max(value, 1e-9) / factor["low"]) / log(factor["high"] / factor["low"]))
    return float((value - factor["low"]) / (factor["high"] - factor["low"]))


def natural(world: Mapping[str, Any], at: int, value: float) -> float:
    """A scaled value in natural units, with four digits."""
    factor = world["factors"][at]
    if factor.get("scale") == "log":
        return float(f"{factor['low'] * float(exp(value * log(factor['high'] / factor['low']))):.4g}")
    return float(f"{factor['low'] + value * (factor['high'] - factor['low']):.4g}")
