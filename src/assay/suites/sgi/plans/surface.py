"""A laboratory with a response surface: runs of six to eight factors, a budget, noise and day effects.

The question `surface` asks for the best setting. In other worlds (`plans.questions`) the surface says how
well conditions suit a measurement, and the question is about further factors, the asked ones. Settings are
scaled to 0 .. 1 between the ends of each factor's range.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from assay.numbers import rng
from assay.numbers.portable import exp, log, norminv
from assay.numbers.rng import Stream
from assay.suites.sgi.plans.plan import Plan
from assay.suites.sgi.plans.questions import question_of

World = dict[str, Any]

REPETITIONS = 12
MOST_RUNS = 400
BETWEEN = (0.14, 0.38, 0.62, 0.86)
"""Best settings lie around these, halfway between the places that a decision can take."""

COST_WEIGHT, MOST_COST = 0.1, 3.0


def draw(
    stream: Stream,
    widening: float,
    names: Sequence[Mapping[str, Any]],
    kind: str = "surface",
    asked: Sequence[Mapping[str, Any]] = (),
) -> World:
    """A world; `names` are factors of the skin with their natural ranges, `asked` those of the question."""
    count = 8 if len(asked) > 3 else 7 + stream.below(2)
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
        "day_effect": fold(0.2, 2.5),
        "saturation": fold(0.35, 2.5),
        "noise": {"cheap": fold(0.012, 2.0), "exact": fold(0.012, 2.0)},
        "price": {"cheap": fold(1.0, 1.6), "exact": fold(4.0, 2.0)},
        "day_capacity": stream.choice((4, 6, 8, 12)),
        "budget": 0.0,
        "key": stream.bits() >> 11,
    }
    question = question_of(world)
    runs = 12 + stream.below(16)
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


def gain(world: Mapping[str, Any], decision: Any, turn: int) -> float:
    """The value of a decision, within -1 .. 1.

    On a surface it is the gain over the usual setting as a share of the largest.
    """
    question = question_of(world)
    if question is not None:
        return question.value(world["parameters"], decision, turn)
    base = usual_value(world)
    value = float(response(world, decision[None, :])[0])
    return max(min((value - base) / (1.0 - base), 1.0), -1.0)


@dataclass(frozen=True)
class Outcome:
    """What came of a plan.

    Attributes:
        value: mean over repetitions of the value of the decision, less what the plan costs.
        runs: planned runs of the first stage.
        done: share of the planned runs that are allowed and paid for.
        cost: of all runs that were made.
        days: on which runs were made.
        places: settings of the first stage, an array of shape (runs, factors).
    """

    value: float
    runs: int
    done: float
    cost: float
    days: int
    places: Any


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


def layout(world: Mapping[str, Any], plan: Plan) -> tuple[Any, dict[int, tuple[float, ...]]]:
    """The scaled settings of the first stage without replicates, and the levels of the varied factors."""
    names = [factor["name"] for factor in world["factors"]]
    centre = np.array(world["usual"], dtype=float)
    varied: dict[int, tuple[float, ...]] = {}
    for at, name in enumerate(names):
        if name in plan.held:
            centre[at] = scaled(world, at, plan.held[name])
        elif name in plan.varied:
            levels = tuple(scaled(world, at, value) for value in plan.varied[name])
            varied[at] = levels
            centre[at] = levels[len(levels) // 2]
    if plan.layout == "listed":
        rows = []
        for run in plan.listed:
            row = centre.copy()
            for at, name in enumerate(names):
                if name in run:
                    row[at] = scaled(world, at, run[name])
            rows.append(row)
        return np.array(rows[:MOST_RUNS]).reshape(-1, len(names)), varied
    if plan.layout == "grid":
        count = math.prod(len(levels) for levels in varied.values())
        if count > MOST_RUNS:
            return np.empty((0, len(names))), varied
        rows = []
        for values in product(*varied.values()):
            row = centre.copy()
            row[list(varied)] = values
            rows.append(row)
        return np.array(rows).reshape(-1, len(names)), varied
    rows = [centre]
    for at, levels in varied.items():
        ends = levels if plan.layout == "one_at_a_time" else (levels[0], levels[-1])
        for value in ends:
            if value != centre[at]:
                row = centre.copy()
                row[at] = value
                rows.append(row)
    return np.array(rows[:MOST_RUNS]), varied


def declared(world: Mapping[str, Any], plan: Plan) -> dict[str, float]:
    """Runs of the first stage, cost and days of all, which follow from a plan without the truth."""
    places, varied = layout(world, plan)
    inside = np.all((places >= -1e-9) & (places <= 1 + 1e-9), axis=1) if len(places) else np.zeros(0, bool)
    price = world["price"]["exact" if plan.instrument.startswith("exact") else "cheap"]
    affordable = int(world["budget"] / price)
    first = min(int(inside.sum()) * plan.replicates, affordable)
    second = 0
    if plan.second is not None and varied and first:
        second = (1 + 2 * len(varied)) * plan.second.replicates
        second = min(second, max(int((world["budget"] - price * first) / price), 0))
    days = math.ceil(first / world["day_capacity"]) + math.ceil(second / world["day_capacity"])
    return {"runs": len(places) * plan.replicates, "cost": round(price * (first + second), 2), "days": days}


def execute(world: Mapping[str, Any], plan: Plan) -> Outcome:
    """Carry a plan out, 12 times with the same noise for every plan."""
    places, varied = layout(world, plan)
    runs = np.repeat(places, plan.replicates, axis=0)
    instrument = "exact" if plan.instrument.startswith("exact") else "cheap"
    price = world["price"][instrument]
    allowed = np.all((runs >= -1e-9) & (runs <= 1 + 1e-9), axis=1) if len(runs) else np.zeros(0, bool)
    affordable = int(world["budget"] / price)
    made = runs[allowed][:affordable]
    total, days, cost = 0.0, 0, 0.0
    question = question_of(world)
    turns = 1 if question is None else question.TURNS
    repetitions = REPETITIONS if turns == 1 else 2 * REPETITIONS
    for repetition in range(repetitions if len(made) else 0):
        turn = repetition % turns
        decision, days, cost = _decide(world, plan, made, varied, instrument, repetition, turn)
        total += gain(world, decision, turn)
    value = total / repetitions - COST_WEIGHT * min(cost / world["budget"], MOST_COST)
    done = len(made) / len(runs) if len(runs) else 0.0
    return Outcome(float(f"{value:.9g}"), len(runs), done, cost, days, places)


def _decide(
    world: Mapping[str, Any],
    plan: Plan,
    made: Any,
    varied: Mapping[int, tuple[float, ...]],
    instrument: str,
    repetition: int,
    turn: int,
) -> tuple[Any, int, float]:
    """What a plan's own analysis decides, the days and the cost."""
    price = world["price"][instrument]
    order = list(range(len(made)))
    if plan.randomise:
        rng.stream(world["key"], "order", repetition).shuffle(order)
    settings = made[order]
    seen = observe(world, settings, instrument, repetition, 0, turn)
    day = np.arange(len(settings)) // world["day_capacity"]
    cost, days = price * len(settings), int(day[-1]) + 1
    question = question_of(world)
    if question is not None:
        places, means = averaged(settings, seen, day, plan)
        model = question.MODELS[int(question.MODELS[1] in plan.model)]
        return question.decide(places[:, world["asked"]], means, model), days, cost
    best = analysed(world, settings, seen, day, plan, varied)
    if plan.second is not None and varied:
        around = []
        for at, levels in varied.items():
            span = (levels[-1] - levels[0]) / 2 * plan.second.shrink
            for step in (-span, span):
                row = best.copy()
                row[at] = min(max(row[at] + step, 0.0), 1.0)
                around.append(row)
        extra = np.repeat(np.array([best, *around]), plan.second.replicates, axis=0)
        extra = extra[: max(int((world["budget"] - cost) / price), 0)]
        if len(extra):
            again = observe(world, extra, instrument, repetition, days)
            later = days + np.arange(len(extra)) // world["day_capacity"]
            ends = dict.fromkeys(varied, (0.0, 1.0))
            best = analysed(world, extra, again, later, plan, ends)
            cost, days = cost + price * len(extra), int(later[-1]) + 1
    return np.clip(best, 0.0, 1.0), days, cost


def observe(
    world: Mapping[str, Any], settings: Any, instrument: str, repetition: int, first_day: int, turn: int = 0
) -> Any:
    """What the instrument reads of runs in their order."""
    truth = response(world, settings, turn)
    day = first_day + np.arange(len(settings)) // world["day_capacity"]
    noise = rng.stream(world["key"], "noise", repetition, first_day)
    effects = [
        world["day_effect"] * float(norminv(rng.stream(world["key"], "day", repetition, int(d)).uniform()))
        for d in range(first_day, int(day[-1]) + 1)
    ]
    signal = (truth.T * (1.0 + np.array([effects[int(d) - first_day] for d in day]))).T
    if instrument == "cheap":
        limit = world["saturation"]
        signal = limit * signal / (limit + np.abs(signal))
    scatter = np.array([float(norminv(noise.uniform())) for _ in range(signal.size)]).reshape(signal.shape)
    return signal + world["noise"][instrument] * scatter


def averaged(settings: Any, seen: Any, day: Any, plan: Plan) -> tuple[Any, Any]:
    """Different settings and the mean reading of each, with days taken out if the plan says so."""
    values = seen
    if plan.adjust:
        values = seen - 0.0
        whole = seen.sum(axis=0) / len(seen)
        for d in range(int(day[0]), int(day[-1]) + 1):
            on_day = day == d
            values[on_day] = seen[on_day] - seen[on_day].sum(axis=0) / int(on_day.sum()) + whole
    places, where = np.unique(np.round(settings, 9), axis=0, return_inverse=True)
    where = where.reshape(-1)
    sums, counts = np.zeros((len(places), *values.shape[1:])), np.zeros(len(places))
    np.add.at(sums, where, values)
    np.add.at(counts, where, 1.0)
    return places, (sums.T / counts).T


def analysed(
    world: Mapping[str, Any],
    settings: Any,
    seen: Any,
    day: Any,
    plan: Plan,
    varied: Mapping[int, tuple[float, ...]],
) -> Any:
    """The setting that the analysis prefers."""
    places, means = averaged(settings, seen, day, plan)
    best = places[int(np.argmax(means))].copy()
    if "parabola" not in plan.model:
        return best
    setting = best.copy()
    for at, levels in varied.items():
        others = [i for i in range(len(best)) if i != at]
        line = np.all(np.abs(places[:, others] - best[others]) < 1e-9, axis=1)
        if line.sum() >= 3:
            setting[at] = _vertex(places[line][:, at], means[line], float(best[at]), levels)
    return setting


def _vertex(x: Any, y: Any, best: float, levels: Sequence[float]) -> float:
    """The top of the parabola through the best point and its neighbours, within the levels."""
    order = np.argsort(x)
    x, y = x[order], y[order]
    at = int(np.argmax(y))
    at = min(max(at, 1), len(x) - 2)
    (a, b, c), (fa, fb, fc) = x[at - 1 : at + 2], y[at - 1 : at + 2]
    top = (b - a) ** 2 * (fb - fc) - (b - c) ** 2 * (fb - fa)
    bottom = (b - a) * (fb - fc) - (b - c) * (fb - fa)
    if abs(bottom) < 1e-12:
        return best
    vertex = float(b - 0.5 * top / bottom)
    return min(max(vertex, float(levels[0])), float(levels[-1])) if bottom > 0 else best
