"""The laboratory that carries plans out: runs in their order, readings, the plan's own analysis."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from assay.numbers import rng
from assay.numbers.draws import normal, uniform
from assay.numbers.kernels import kernel
from assay.suites.sgi.plans.plan import Plan
from assay.suites.sgi.plans.questions import exponential, question_of
from assay.suites.sgi.plans.surface import gains, response, scaled

REPETITIONS = 12
"""Executions of a plan; twice as many where several rivals are true in turn."""

MOST_RUNS = 400
COST_WEIGHT, MOST_COST = 0.1, 3.0

MOST_RATIO = 3.0
"""A control relative to its mean over days counts as at most that, and as one over it at least."""


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


def middle_of(world: Mapping[str, Any], plan: Plan) -> tuple[Any, dict[int, tuple[float, ...]]]:
    """The setting with all factors held or at their middle level, and the levels of the varied factors."""
    centre = np.array(world["usual"], dtype=float)
    varied: dict[int, tuple[float, ...]] = {}
    for at, factor in enumerate(world["factors"]):
        if factor["name"] in plan.held:
            centre[at] = scaled(world, at, plan.held[factor["name"]])
        elif factor["name"] in plan.varied:
            varied[at] = tuple(scaled(world, at, value) for value in plan.varied[factor["name"]])
            centre[at] = varied[at][len(varied[at]) // 2]
    return centre, varied


def layout(world: Mapping[str, Any], plan: Plan) -> tuple[Any, dict[int, tuple[float, ...]]]:
    """The scaled settings of the first stage without replicates, and the levels of the varied factors."""
    names = [factor["name"] for factor in world["factors"]]
    centre, varied = middle_of(world, plan)
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


def prices(world: Mapping[str, Any], plan: Plan) -> tuple[float, float]:
    """What a run costs, and what a day costs beside: its control, if readings are divided by controls."""
    of = world["price"]
    instrument = "exact" if plan.instrument.startswith("exact") else "cheap"
    return of[instrument] + (of["shuffling"] if plan.randomise else 0.0), of[instrument] * plan.adjust


def stage(world: Mapping[str, Any], plan: Plan, runs: int, left: float) -> tuple[int, float, int]:
    """Of a stage the runs that money is left for, what they cost, and the days that they take."""
    a_run, a_day = prices(world, plan)
    capacity = world["day_capacity"]
    runs = min(runs, max(int(left / (a_run + a_day / capacity)), 0))
    days = math.ceil(runs / capacity)
    return runs, a_run * runs + a_day * days, days


def declared(world: Mapping[str, Any], plan: Plan) -> dict[str, float]:
    """Runs of the first stage, cost and days of all, which follow from a plan without the truth."""
    places, varied = layout(world, plan)
    inside = np.all((places >= -1e-9) & (places <= 1 + 1e-9), axis=1) if len(places) else np.zeros(0, bool)
    runs, cost, days = stage(world, plan, int(inside.sum()) * plan.replicates, world["budget"])
    if plan.second is not None and varied and runs:
        extra = (1 + 2 * len(varied)) * plan.second.replicates
        _, more, later = stage(world, plan, extra, world["budget"] - cost)
        cost, days = cost + more, days + later
    return {"runs": len(places) * plan.replicates, "cost": round(cost, 2), "days": days}


def execute(world: Mapping[str, Any], plan: Plan) -> Outcome:
    """Carry a plan out several times, with the same noise for every plan; all repetitions are one array."""
    centre = np.clip(middle_of(world, plan)[0], 0.0, 1.0)
    places, varied = layout(world, plan)
    runs = np.repeat(places, plan.replicates, axis=0)
    instrument = "exact" if plan.instrument.startswith("exact") else "cheap"
    allowed = np.all((runs >= -1e-9) & (runs <= 1 + 1e-9), axis=1) if len(runs) else np.zeros(0, bool)
    count, cost, days = stage(world, plan, int(allowed.sum()), world["budget"])
    made = runs[allowed][:count]
    if not count:
        return Outcome(0.0, len(runs), 0.0, 0.0, 0, places)
    question = question_of(world)
    rivals = 1 if question is None else question.TURNS
    turns = np.arange(REPETITIONS * (1 if rivals == 1 else 2)) % rivals
    cells, cell_of = np.unique(np.round(made, 9), axis=0, return_inverse=True)
    order = _orders(world["key"], len(turns), len(made)) if plan.randomise else np.arange(len(made))[None, :]
    cell_of = np.broadcast_to(cell_of.reshape(-1)[order], (len(turns), len(made)))
    truth = np.array([response(world, cells, turn) for turn in range(rivals)])[turns[:, None], cell_of]
    middle = np.array([response(world, centre[None], turn)[0] for turn in range(rivals)])[turns]
    seen = readings(world, truth, instrument, range(len(turns)), 0, middle if plan.adjust else None)
    means = averaged(seen, cell_of, len(cells))
    if question is not None:
        model = question.MODELS[int(question.MODELS[1] in plan.model)]
        worth = gains(world, question.decide(cells[:, world["asked"]], means, model), turns)
    else:
        best = _preferred(cells, means, plan, varied)
        if plan.second is not None and varied:
            rows = (1 + 2 * len(varied)) * plan.second.replicates
            extra, more, later = stage(world, plan, rows, world["budget"] - cost)
            if extra:
                best = _second(world, plan, best, varied, instrument, extra, days)
                cost, days = cost + more, days + later
        worth = gains(world, np.clip(best, 0.0, 1.0), turns)
    value = math.fsum(worth.tolist()) / len(turns) - COST_WEIGHT * min(cost / world["budget"], MOST_COST)
    return Outcome(float(f"{value:.9g}"), len(runs), len(made) / len(runs), cost, days, places)


@kernel
def _fill(key: np.uint64, normals: bool, out: np.ndarray) -> None:
    """Fill an array with the first uniform or normal numbers of a stream."""
    for i in range(out.size):
        out[i] = normal(key, np.uint64(i)) if normals else uniform(key, np.uint64(i))


@lru_cache(maxsize=64)
def _noise(key: int, name: str, repetitions: range, first: int, size: int) -> Any:
    """Random numbers of every repetition, of shape (repetitions, size)."""
    found = np.empty((len(repetitions), size))
    for row, repetition in zip(found, repetitions, strict=True):
        _fill(np.uint64(rng.stream(key, name, repetition, first).key), name != "order", row)
    return found


def _block(size: int) -> int:
    """The next power of two, so that few arrays of noise serve plans of any length."""
    return max(64, 1 << (size - 1).bit_length())


@lru_cache(maxsize=256)
def _orders(key: int, repetitions: int, runs: int) -> Any:
    """A random order of runs for every repetition."""
    return np.argsort(_noise(key, "order", range(repetitions), 0, _block(runs))[:, :runs], kind="stable")


def readings(
    world: Mapping[str, Any],
    truth: Any,
    instrument: str,
    repetitions: range,
    first_day: int,
    middle: Any = None,
) -> Any:
    """What an instrument reads.

    Args:
        world: a world.
        truth: signals without noise in the order of the runs, of shape (repetitions, runs) or (repetitions,
            runs, readings).
        instrument: `cheap` or `exact`.
        repetitions: their numbers, by which their noise is drawn.
        first_day: how many days have passed before.
        middle: signals of the controls, of shape (repetitions,) or (repetitions, readings), if readings are
            divided by them.

    Returns:
        An array of the shape of `truth`.
    """
    runs, size = truth.shape[1], math.prod(truth.shape[1:])
    day = np.arange(runs) // world["day_capacity"]
    effects = _noise(world["key"], "day", repetitions, first_day, _block(runs))[:, day]
    seen = _shown(
        world, truth, effects, instrument, _noise(world["key"], "noise", repetitions, first_day, _block(size))
    )
    if middle is None:
        return seen
    days = math.ceil(runs / world["day_capacity"])
    truth = np.repeat(middle[:, None], days, axis=1)
    scatter = _noise(world["key"], "control", repetitions, first_day, _block(truth[0].size))
    controls = _shown(world, truth, effects[:, :: world["day_capacity"]], instrument, scatter)
    mean = controls.mean(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(mean > 0, controls / mean, 1.0)
    return seen / np.clip(ratio, 1 / MOST_RATIO, MOST_RATIO)[:, day]


def _shown(world: Mapping[str, Any], truth: Any, effects: Any, instrument: str, scatter: Any) -> Any:
    """Signals under effects of their days, as the instrument shows them."""
    signal = (truth.T * exponential(world["day_effect"] * effects).T).T
    if instrument == "cheap":
        limit = world["saturation"]
        signal = limit * signal / (limit + np.abs(signal))
    size = math.prod(truth.shape[1:])
    return signal + world["noise"][instrument] * scatter[:, :size].reshape(truth.shape)


def averaged(seen: Any, cell_of: Any, cells: int) -> Any:
    """The mean reading of each setting, with an axis of settings instead of runs.

    Args:
        seen: readings in the order of the runs.
        cell_of: the setting of each run, of shape (repetitions, runs).
        cells: how many settings there are.
    """
    repetitions = len(seen)
    flat = (cell_of + cells * np.arange(repetitions)[:, None]).ravel()
    counts = np.bincount(flat, minlength=repetitions * cells)
    columns = seen.reshape(flat.size, -1).T
    sums = [np.bincount(flat, column, minlength=repetitions * cells) for column in columns]
    with np.errstate(invalid="ignore"):
        means = np.where(counts, np.array(sums) / counts, -np.inf)
    return means.T.reshape(repetitions, cells, *seen.shape[2:])


def _preferred(cells: Any, means: Any, plan: Plan, varied: Mapping[int, tuple[float, ...]]) -> Any:
    """The settings that the analysis prefers, of shape (repetitions, factors)."""
    at_best = np.argmax(means, axis=1)
    best = cells[at_best].copy()
    if "parabola" not in plan.model:
        return best
    for at_cell in sorted(set(at_best.tolist())):
        same = np.abs(cells - cells[at_cell]) < 1e-9
        others = same.sum(axis=1) - same.T  # how many factors but this one agree, of shape (factors, cells)
        for at, levels in varied.items():
            line = np.flatnonzero(others[at] == cells.shape[1] - 1)
            if len(line) < 3:
                continue
            line = line[np.argsort(cells[line, at])]
            x = cells[line, at].tolist()
            for repetition in np.flatnonzero(at_best == at_cell).tolist():
                y = means[repetition, line].tolist()
                best[repetition, at] = _vertex(x, y, float(cells[at_cell, at]), levels[0], levels[-1])
    return best


def _second(
    world: Mapping[str, Any],
    plan: Plan,
    centre: Any,
    varied: Mapping[int, tuple[float, ...]],
    instrument: str,
    runs: int,
    first_day: int,
) -> Any:
    """The settings preferred after a second stage around those of the first."""
    assert plan.second is not None
    rows = np.repeat(centre[:, None, :], 1 + 2 * len(varied), axis=1)
    for number, (at, levels) in enumerate(varied.items()):
        span = (levels[-1] - levels[0]) / 2 * plan.second.shrink
        rows[:, 2 * number + 1, at] = np.clip(centre[:, at] - span, 0.0, 1.0)
        rows[:, 2 * number + 2, at] = np.clip(centre[:, at] + span, 0.0, 1.0)
    repetitions, count, factors = rows.shape
    truth = response(world, rows.reshape(-1, factors)).reshape(repetitions, count)
    truth = np.repeat(truth, plan.second.replicates, axis=1)[:, :runs]
    middle = truth[:, 0] if plan.adjust else None
    seen = readings(world, truth, instrument, range(repetitions), first_day, middle)
    moved = np.abs(rows - rows[:, :1]).max(axis=2) > 1e-9
    cell_of = np.repeat(np.where(moved, np.arange(count), 0), plan.second.replicates, axis=1)[:, :runs]
    means = averaged(seen, cell_of, count)
    at_best = np.argmax(means, axis=1)
    best = rows[np.arange(repetitions), at_best]
    if "parabola" not in plan.model:
        return best
    for number, at in enumerate(varied):
        line = [2 * number + 1, 0, 2 * number + 2]
        for repetition in range(repetitions):
            y = means[repetition, line].tolist()
            if at_best[repetition] in line and min(y) > -math.inf:
                x = rows[repetition, line, at].tolist()
                best[repetition, at] = _vertex(x, y, float(best[repetition, at]), 0.0, 1.0)
    return best


def _vertex(x: Sequence[float], y: Sequence[float], best: float, low: float, high: float) -> float:
    """The top of the parabola through the best of sorted points and its neighbours, within limits."""
    at = min(max(y.index(max(y)), 1), len(x) - 2)
    (a, b, c), (fa, fb, fc) = x[at - 1 : at + 2], y[at - 1 : at + 2]
    top = (b - a) ** 2 * (fb - fc) - (b - c) ** 2 * (fb - fa)
    bottom = (b - a) * (fb - fc) - (b - c) * (fb - fa)
    return min(max(b - 0.5 * top / bottom, low), high) if bottom > 1e-12 else best
