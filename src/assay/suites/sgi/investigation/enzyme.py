"""The hidden world of an inquiry: an enzyme with an inhibitor, in whatever vessel, plan or program it is met.

Units: mM, minutes, units of enzyme per millilitre (U/mL). A rate is `k * enzyme * share`, where the rate law
gives the share of the largest rate; the enzyme loses its activity with the half-life `tau`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.numbers import rng
from assay.numbers.portable import exp, norminv
from assay.numbers.rng import Stream
from assay.suites.sgi.plans.questions.rivals import LAWS, rate

World = dict[str, Any]
Estimates = Mapping[str, Any]
"""What is known of the world: `K`, `Ki`, `k`, `tau`, and `law` where it is settled."""

PAIRS: Mapping[str, tuple[str, str]] = {
    "low": ("competitive", "noncompetitive"),
    "high": ("uncompetitive", "noncompetitive"),
}
"""Rivals that agree wherever the substrate is far below `K`, or far above it."""

RANGES: Mapping[str, tuple[float, float]] = {
    "K": (0.003, 30),
    "Ki": (0.003, 30),
    "k": (0.01, 10),
    "tau": (6, 300),
}
STEPS = 60
LN10, HALF = 2.302585092994046, 0.6931471805599453
NOISE: Mapping[str, float] = {"low": 0.2, "high": 0.045}
"""Scatter of a measured rate by pair of rivals, as a share of the largest rate: all runs together tell them
apart where they differ most, and runs elsewhere do not."""

MOST_RUNS = 8
CURVE_NOISE, POINTS = 0.012, 12
BATCHES = 6
DEVIATIONS: Mapping[str, Mapping[str, float]] = {
    "nothing differs from what was planned": {},
    "the enzyme had half of its stated activity": {"enzyme": 0.5},
    "the enzyme had three times its stated activity": {"enzyme": 3.0},
    "the enzyme lost its activity eight times as fast": {"tau": 0.125},
    "the sample held a third less substrate": {"substrate": 0.667},
    "the sample held a third more substrate": {"substrate": 1.333},
    "the reaction began only after a third of the time": {"late": 0.333},
    "the product is lost, half of it in a third of the time": {"lost": 0.333},
    "the reader shows a fifth too much of everything": {"gain": 1.2},
    "the reader shows a tenth of the substrate where there is nothing": {"offset": 0.1},
}
"""What may have gone otherwise with a batch."""


def log_uniform(stream: Stream, low: float, high: float, digits: int = 4) -> float:
    """A number between two bounds, evenly on the scale of logarithms."""
    value = low * float(exp(math.log(high / low) * stream.uniform()))
    return float(f"{value:.{digits}g}")


def draw(stream: Stream) -> World:
    """A world: constants, the law, and which pair of rivals the literature leaves."""
    side = "low" if stream.below(2) else "high"
    world: World = {name: log_uniform(stream, *ends) for name, ends in RANGES.items()}
    world |= {"side": side, "law": stream.choice(PAIRS[side]), "rivals": sorted(PAIRS[side])}
    strong = 1.0 + 2.0 * stream.uniform()
    world["sample"] = {
        "substrate": float(f"{world['K'] * log_uniform(stream, 0.3, 30):.3g}"),
        "inhibitor": float(f"{world['Ki'] * strong:.3g}"),
    }
    world["price"] = {
        "enzyme": log_uniform(stream, 0.003, 0.3, 2),
        "minute": log_uniform(stream, 0.0005, 0.01, 2),
    }
    world["deviations"] = [stream.below(len(DEVIATIONS)) for _ in range(BATCHES)]
    world["noise"] = NOISE[side]
    world["soluble"] = float(f"{world['K'] * log_uniform(stream, 3, 8):.3g}")
    world["key"] = stream.bits() >> 11
    return world


def share(law: str, s: Any, i: Any, known: Estimates) -> Any:
    """The rate as a share of its largest."""
    return rate(LAWS.index(law), s, i, known["K"], known["Ki"])


def product(
    known: Estimates, law: str, substrate: Any, inhibitor: Any, enzyme: Any, minutes: Any, tau: Any = None
) -> Any:
    """The product after some time in mM, of numbers or arrays; a Runge-Kutta rule of order 4."""
    shape = np.broadcast(substrate, inhibitor, enzyme, minutes)
    start, i, e, end = (
        np.broadcast_to(np.asarray(x, float), shape.shape) for x in (substrate, inhibitor, enzyme, minutes)
    )
    half_life = np.broadcast_to(np.asarray(known["tau"] if tau is None else tau, float), shape.shape)
    # With the activity integrated, rates depend on substrate alone.
    decay = HALF / half_life
    flat = [
        (1.0 - float(exp(-d * t))) / d
        for d, t in zip(decay.ravel().tolist(), end.ravel().tolist(), strict=True)
    ]
    effective = known["k"] * e * np.array(flat).reshape(shape.shape)
    step, left = effective / STEPS, np.array(start)

    def slope(s: Any) -> Any:
        return share(law, np.maximum(s, 0.0), i, known)

    for _ in range(STEPS):
        # A step is never longer than what is left at the present rate, so small amounts die out smoothly.
        one = slope(left)
        two = slope(left - 0.5 * step * one)
        three = slope(left - 0.5 * step * two)
        four = slope(left - step * three)
        left = np.maximum(left - step * (one + 2 * two + 2 * three + four) / 6, 0.0)
    return start - left


def separation(world: World, known: Estimates, runs: Sequence[tuple[float, float]]) -> float:
    """How far runs tell the two rivals apart: the sum of squared differences in units of the scatter."""
    found = 0.0
    for s, i in runs[:MOST_RUNS]:
        a, b = (float(share(law, s, i, known)) for law in world["rivals"])
        found += ((a - b) / world["noise"]) ** 2
    return found


def readings(world: World, runs: Sequence[tuple[float, float]]) -> list[float]:
    """Measured rates of runs, as shares of the largest rate, with the same scatter for every plan."""
    noise = rng.stream(world["key"], "plan")
    return [
        round(float(share(world["law"], s, i, world)) + world["noise"] * float(norminv(noise.uniform())), 3)
        for s, i in runs[:MOST_RUNS]
    ]


def better_law(
    rivals: Sequence[str], runs: Sequence[tuple[float, float]], seen: Sequence[float], known: Estimates
) -> str:
    """The rival that explains readings better; the first one without any."""
    errors = [
        math.fsum((float(share(law, s, i, known)) - y) ** 2 for (s, i), y in zip(runs, seen, strict=False))
        for law in rivals
    ]
    return rivals[errors.index(min(errors))]


GRID: Mapping[str, Sequence[float]] = {
    "dilution": [1, 1.6, 2.5, 4, 6.3, 10],
    "enzyme": [float(f"{0.003 * 10 ** (n / 4):.3g}") for n in range(20)],
    "minutes": [float(f"{2 * 10 ** (n / 5):.3g}") for n in range(12)],
}
"""Values that a search for a protocol tries."""


def utility(world: World, known: Estimates, law: str, dilution: Any, enzyme: Any, minutes: Any) -> Any:
    """The converted share of the sample, less what enzyme and time cost."""
    s, i = world["sample"]["substrate"] / dilution, world["sample"]["inhibitor"] / dilution
    made = product(known, law, s, i, enzyme, minutes) / s
    return made - world["price"]["enzyme"] * enzyme * dilution - world["price"]["minute"] * minutes


def best_protocol(world: World, known: Estimates, law: str) -> dict[str, float]:
    """The protocol with the largest utility, as far as `known` goes."""
    d, e, m = np.meshgrid(*(np.array(values, float) for values in GRID.values()), indexing="ij")
    found = np.round(utility(world, known, law, d, e, m), 9)
    at = int(np.argmax(found))
    return {name: float(axis.ravel()[at]) for name, axis in zip(GRID, (d, e, m), strict=True)}


def curves(world: World, known: Estimates, law: str, protocol: Mapping[str, float], deviation: int) -> Any:
    """The signal of a batch over time, and of its twin with a third of the enzyme, of shape (2, POINTS)."""
    changed = list(DEVIATIONS.values())[deviation]
    s = world["sample"]["substrate"] / protocol["dilution"] * changed.get("substrate", 1.0)
    i = world["sample"]["inhibitor"] / protocol["dilution"]
    times = np.array([protocol["minutes"] * (n + 1) / POINTS for n in range(POINTS)])
    late = changed.get("late", 0.0) * protocol["minutes"]
    enzyme = np.array([[1.0], [1 / 3]]) * protocol["enzyme"] * changed.get("enzyme", 1.0)
    running = np.maximum(times - late, 1e-9)[None, :] + 0.0 * enzyme
    made = product(known, law, s, i, enzyme + 0.0 * running, running, known["tau"] * changed.get("tau", 1.0))
    if "lost" in changed:
        fate = [float(exp(-HALF * t / (changed["lost"] * protocol["minutes"]) / 2)) for t in times.tolist()]
        made = made * np.array(fate)[None, :]
    planned = world["sample"]["substrate"] / protocol["dilution"]
    return made * changed.get("gain", 1.0) / planned + changed.get("offset", 0.0)


def measured(world: World, protocol: Mapping[str, float]) -> list[list[list[float]]]:
    """What the reader shows of the batches of a protocol, as shares of the planned substrate."""
    shown = []
    for batch, deviation in enumerate(world["deviations"]):
        noise = rng.stream(world["key"], "batch", batch)
        truth = curves(world, world, world["law"], protocol, deviation)
        shown.append(
            [
                [round(float(y) + CURVE_NOISE * float(norminv(noise.uniform())), 3) for y in row]
                for row in truth
            ]
        )
    return shown


def likeliest(
    world: World, known: Estimates, law: str, protocol: Mapping[str, float], seen: Sequence[Any]
) -> list[int]:
    """Of each batch the deviation that explains it best; scatter and errors of the estimates count alike."""
    candidates = [curves(world, known, law, protocol, n) for n in range(len(DEVIATIONS))]
    return [
        min(
            range(len(candidates)),
            key=lambda n: round(float(((candidates[n] - np.array(batch)) ** 2).sum()), 9),
        )
        for batch in seen
    ]


def least_distance(world: World, protocol: Mapping[str, float]) -> float:
    """The smallest distance between two deviations in units of the scatter, whichever of them are true."""
    every = [curves(world, world, world["law"], protocol, n) for n in range(len(DEVIATIONS))]
    return min(
        float((((a - b) / CURVE_NOISE) ** 2).sum()) for n, a in enumerate(every) for b in every[n + 1 :]
    )
