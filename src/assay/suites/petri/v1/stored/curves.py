"""The stored curves: effect, spread and power of every value of every parameter, smoothed from simulations.

    python -m assay.suites.petri.v1.stored.curves swarm

computes `swarm.store.json` again, which takes some minutes and gives the same bytes on every machine. The
form is

    {"control": {"mean": …, "sd": …, "n": …}, "sides": {PARAMETER: {SIDE: [[value, r, sd, power], …]}}}

where r is the relative change of the target's mean, sd the standard deviation of a run, and power that of
one comparison with the control (12 runs each, p < .05 / 8). Rows go from control outwards in quarter steps,
as far as r grows.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from assay.numbers import rng
from assay.numbers.draws import below
from assay.numbers.kernels import kernel
from assay.numbers.portable import exp, log
from assay.suites.petri.experiments.replicates import mean, variance
from assay.suites.petri.questions.answers import BUDGET, REPLICATES
from assay.suites.petri.v1.ranges import WORLDS
from assay.suites.petri.v1.stored.sampling import STEPS, Samples, Scale, control, samples, scales

FOLDER = Path(__file__).parent

QUARTERS = 4
"""Rows of a curve per step of its simulations."""

HALF_WIDTH = 3.5
"""Half width of the smoothing kernel, in steps."""

LEAST_REACH = 0.08
"""A side is stored if it reaches this relative change."""

REVERSAL = 0.01
"""A curve ends where r falls by this much from its largest value: less is taken for noise."""

DRAWS = 2000
"""Number of simulated comparisons for one power."""

AVERAGED = 2
"""Powers are averaged over this many quarter steps to both sides."""


@dataclass(frozen=True)
class Point:
    """All runs at one coordinate: their number, mean and standard deviation, and the runs standardised."""

    k: float
    n: int
    mean: float
    sd: float
    standard: np.ndarray

    @classmethod
    def of(cls, k: float, runs: np.ndarray, least: float = 0.0) -> Point:
        """Summarise runs; a spread below `least` counts as `least`."""
        centre, sd = mean(runs), max(math.sqrt(variance(runs)), least)
        return cls(k, len(runs), centre, sd, (runs - centre) / sd)


def smooth(points: Sequence[Point], k: float) -> tuple[float, float]:
    """Return mean and standard deviation at a coordinate.

    The mean is a local quadratic with tricube weights times n / sd^2, the standard deviation a local line in
    its logarithm.
    """
    near = [p for p in points if abs(p.k - k) < HALF_WIDTH]
    tricube = [_cubed(1 - _cubed(abs(p.k - k) / HALF_WIDTH)) for p in near]
    at = [p.k - k for p in near]
    centre = _fit(
        at, [p.mean for p in near], [w * p.n / (p.sd * p.sd) for w, p in zip(tricube, near, strict=True)], 3
    )
    spread = _fit(
        at, [float(log(p.sd)) for p in near], [w * p.n for w, p in zip(tricube, near, strict=True)], 2
    )
    return centre, float(exp(spread))


def _cubed(x: float) -> float:
    return x * x * x  # the power operator may give other bits on another machine


def _fit(x: Sequence[float], y: Sequence[float], weights: Sequence[float], terms: int) -> float:
    """Return the constant of a weighted polynomial of `terms` terms, or of fewer where there are fewer
    points."""
    terms = min(terms, len(x))
    largest = max(weights)
    w = [weight / largest for weight in weights]
    powers = [(1.0, xi, xi * xi) for xi in x]
    rows = [
        [math.fsum(wi * p[i] * p[j] for wi, p in zip(w, powers, strict=True)) for j in range(terms)]
        + [math.fsum(wi * yi * p[i] for wi, p, yi in zip(w, powers, y, strict=True))]
        for i in range(terms)
    ]
    for i in reversed(range(terms)):  # eliminate the highest power first, so that the constant remains
        for j in range(i):
            factor = rows[j][i] / rows[i][i]
            rows[j] = [a - factor * b for a, b in zip(rows[j], rows[i], strict=True)]
    return rows[0][terms] / rows[0][0]


@kernel
def _detections(
    first: np.ndarray, second: np.ndarray, shift: float, scale: float, key: np.uint64, critical: int
) -> int:
    """Count draws in which 12 of `first` and 12 of shift + scale * `second` differ significantly."""
    hits = 0
    a = np.empty(REPLICATES)
    b = np.empty(REPLICATES)
    for draw in range(DRAWS):
        at = np.uint64(draw) * np.uint64(2 * REPLICATES)
        for i in range(REPLICATES):
            a[i] = first[below(key, at + np.uint64(2 * i), np.uint64(first.size))]
            b[i] = shift + scale * second[below(key, at + np.uint64(2 * i + 1), np.uint64(second.size))]
        dominance = 0
        for i in range(REPLICATES):
            for j in range(REPLICATES):
                dominance += (b[j] > a[i]) - (b[j] < a[i])
        hits += abs(dominance) >= critical
    return hits


@cache
def critical_dominance(budget: int = BUDGET) -> int:
    """Return the least distance of U from its middle, doubled, at which 12 against 12 untied values are
    significant.

    >>> critical_dominance()
    93
    """
    ways = {0: {0: 1}}  # number of subsets of the ranks so far, by their size and sum
    for rank in range(1, 2 * REPLICATES + 1):
        for size in sorted(ways, reverse=True):
            if size < REPLICATES:
                larger = ways.setdefault(size + 1, {})
                for total, n in ways[size].items():
                    larger[total + rank] = larger.get(total + rank, 0) + n
    sums, every = ways[REPLICATES], math.comb(2 * REPLICATES, REPLICATES)
    middle = REPLICATES * (2 * REPLICATES + 1)
    for distance in range(REPLICATES * REPLICATES + 1):
        extreme = sum(n for total, n in sums.items() if abs(2 * total - middle) >= distance)
        if extreme * 20 * budget < every:
            return distance
    raise ValueError(f"a budget of {budget} leaves no significant result")


def power(first: np.ndarray, second: np.ndarray, shift: float, scale: float, *names: str | int) -> float:
    """Return the power to tell 12 runs of the control from 12 runs with this mean and spread."""
    key = np.uint64(rng.stream(0, "petri", "v1", "power", *names).key)
    return float(_detections(first, second, shift, scale, key, critical_dominance())) / DRAWS


def measure(
    world: str,
    of_control: Callable[[str], np.ndarray] = control,
    of_values: Callable[[str], Samples] = samples,
) -> dict[str, Any]:
    """Return the curves of a world in the form of its file."""
    runs = of_control(world)
    origin = Point.of(0.0, runs)
    made = of_values(world)
    sides: dict[str, dict[str, list[list[float]]]] = {}
    for name, side, scale in scales(world):
        least = 1e-3 * origin.sd
        points = [origin, *(Point.of(k, values, least) for k, values in made[name, side])]
        rows = _side(runs, points, scale, (world, name, side))
        if rows:
            sides.setdefault(name, {})[side] = rows
    summary = {"mean": _short(origin.mean), "sd": _short(origin.sd), "n": origin.n}
    return {"control": summary, "sides": sides}


def _side(
    runs: np.ndarray, points: Sequence[Point], scale: Scale, names: tuple[str, ...]
) -> list[list[float]]:
    """Return the rows of one side; none if it does not reach `LEAST_REACH`, or jumps between two values."""
    base = points[0].mean
    values = dict.fromkeys(scale.value(q / QUARTERS) for q in range(1, QUARTERS * STEPS + 1))
    places = [
        (v, scale.coordinate(v)) for v in values if v != scale.parameter.rounded(scale.parameter.control)
    ]
    curve = [(value, *smooth(points, k), k) for value, k in places]
    changes = [(centre - base) / abs(base) for _, centre, _, _ in curve]
    early = next((r for r in changes if abs(r) > REVERSAL), 0.0)
    sign = 1 if early > 0 else -1
    kept: list[int] = []
    best = 0.0
    for i, r in enumerate(changes):
        if sign * r < best - REVERSAL:
            break
        if sign * r > best:
            kept.append(i)
            best = sign * r
    at_points = [0.0, *(abs(p.mean - base) / abs(base) for p in points[1:] if p.k <= curve[kept[-1]][3])]
    jump = max((b - a for a, b in pairwise(at_points)), default=0.0)
    if best < LEAST_REACH or jump > best / 2:
        return []
    powers = []
    for i, (_, centre, sd, k) in enumerate(curve):
        nearest = min(range(1, len(points)), key=lambda j: abs(points[j].k - k))
        pool = np.concatenate([p.standard for p in points[max(1, nearest - 1) : nearest + 2]])
        powers.append(power(runs, pool, centre, sd, *names, i) if i <= kept[-1] + AVERAGED else 0.0)
    rows = []
    for i in kept:
        window = powers[max(0, i - AVERAGED) : min(len(curve), i + AVERAGED + 1)]
        value, _, sd, _ = curve[i]
        rows.append([value, round(changes[i], 5), _short(sd), round(math.fsum(window) / len(window), 4)])
    return rows


def _short(x: float) -> float:
    return float(format(x, ".6g"))


def path(world: str) -> Path:
    """Return the place of a world's stored curves."""
    return FOLDER / f"{world}.store.json"


def write(world: str, table: Any) -> None:
    """Write the curves of a world."""
    path(world).write_text(json.dumps(table, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:] or WORLDS:
        write(name, measure(name))
