"""The hidden world of an inquiry: an enzyme with an inhibitor, in whatever vessel, plan or program it is met.

Units: mM, minutes, units of enzyme per millilitre (U/mL). With the inhibitor fixed every rate law is
`k * enzyme * s / (a + b * s)`, and the enzyme loses its activity with the half-life `tau`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from assay.numbers import rng
from assay.numbers.kernels import kernel
from assay.numbers.portable import exp, norminv
from assay.numbers.rng import Stream

World = dict[str, Any]
Estimates = Mapping[str, Any]
"""What is known of the world: `K`, `Ki`, `k`, `tau`."""

FORMS: Mapping[str, tuple[str, str]] = {
    "competitive": ("K * (1 + i)", "1"),
    "uncompetitive": ("K", "1 + i"),
    "noncompetitive": ("K * (1 + i)", "1 + i"),
    "cooperative": ("K * (1 + i * i)", "1 + i * i"),
}
"""Of each law `a` and `b`, where `i` is the inhibitor over `Ki`; in Python, for programs."""

PAIRS: Mapping[str, tuple[str, str]] = {
    "low": ("competitive", "noncompetitive"),
    "high": ("noncompetitive", "uncompetitive"),
}
"""Rivals that agree wherever the substrate is far below `K`, or far above it."""

RANGES: Mapping[str, tuple[float, float]] = {
    "K": (0.003, 30),
    "Ki": (0.003, 30),
    "k": (0.01, 10),
    "tau": (6, 300),
}
CONSTANTS = tuple(RANGES)
HALF = 0.6931471805599453
NOISE: Mapping[str, float] = {"low": 0.2, "high": 0.045}
"""Scatter of a measured rate by pair of rivals, as a share of the largest rate: all runs together tell them
apart where they differ most, and runs elsewhere do not."""

MOST_RUNS = 8
LEAST, MOST = 1e-4, 1e4
"""mM of substrate and inhibitor in a run; no more substrate is taken than dissolves."""

CURVE_NOISE, POINTS, TWIN = 0.012, 12, 1 / 3
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


def draw(stream: Stream, side: str) -> World:
    """A world with a pair of rivals that the literature leaves: constants, and which of the two is the law.

    What later stages state of sample and solubility lies within wide ranges around the constants, so that it
    betrays little of them.
    """
    world: World = {name: log_uniform(stream, *ends) for name, ends in RANGES.items()}
    world |= {"side": side, "law": stream.choice(PAIRS[side])}
    world["sample"] = {
        "substrate": float(f"{world['K'] * log_uniform(stream, 0.3, 30):.3g}"),
        "inhibitor": float(f"{world['Ki'] * log_uniform(stream, 0.5, 16):.3g}"),
    }
    world["price"] = {
        "enzyme": log_uniform(stream, 0.003, 0.3, 2),
        "minute": log_uniform(stream, 0.0005, 0.01, 2),
    }
    world["deviations"] = [stream.below(len(DEVIATIONS)) for _ in range(BATCHES)]
    world["noise"] = NOISE[side]
    world["soluble"] = float(f"{world['K'] * log_uniform(stream, 2.5, 250):.3g}")
    world["key"] = stream.bits() >> 11
    return world


def form(law: str, inhibitor: Any, known: Estimates) -> tuple[Any, Any]:
    """`a` and `b` of a law, see `FORMS`; numbers or arrays."""
    i = inhibitor / known["Ki"]
    held = 1 + (i * i if law == "cooperative" else i)
    a = known["K"] * (1.0 + 0.0 * i if law == "uncompetitive" else held)
    return a, (1.0 + 0.0 * i if law == "competitive" else held)


def share(law: str, s: Any, i: Any, known: Estimates) -> Any:
    """The rate as a share of its largest."""
    a, b = form(law, i, known)
    return s / (a + b * s)


@kernel
def _converted(a: Any, b: Any, whole: Any, start: Any, found: Any) -> None:
    """The product of batches: of `a ln(s0 / s) + b (s0 - s) = whole` by Newton's rule in x = ln(s0 / s).

    The left side is concave in x, so that the rule rises to the root from 0 and never passes it.
    """
    for n in range(len(a)):
        x = 0.0
        for _ in range(100):
            left = start[n] * exp(-x)
            step = (whole[n] - a[n] * x - b[n] * (start[n] - left)) / (a[n] + b[n] * left)
            x += step
            if step <= 1e-14 * x:
                break
        found[n] = start[n] * (1.0 - exp(-x))


@kernel
def _active(decay: Any, minutes: Any, found: Any) -> None:
    """Minutes of full activity that a decaying enzyme is worth."""
    for n in range(len(decay)):
        found[n] = (1.0 - exp(-decay[n] * minutes[n])) / decay[n]


def product(
    known: Estimates, law: str, substrate: Any, inhibitor: Any, enzyme: Any, minutes: Any, tau: Any = None
) -> Any:
    """The product after some time in mM, of numbers or arrays of one shape."""
    half_life = known["tau"] if tau is None else tau
    s, i, e, t, life = np.broadcast_arrays(
        *(np.asarray(x, float) for x in (substrate, inhibitor, enzyme, minutes, half_life))
    )
    active, found = np.empty(s.size), np.empty(s.size)
    _active(HALF / life.ravel(), np.ascontiguousarray(t.ravel()), active)
    a, b = form(law, i, known)
    whole = known["k"] * e.ravel() * active
    _converted(a.ravel(), b.ravel(), whole, np.ascontiguousarray(s.ravel()), found)
    return found.reshape(s.shape)


def separation(world: World, runs: Sequence[tuple[float, float]]) -> float:
    """How far runs tell the two rivals apart: the sum of squared differences in units of the scatter."""
    found = 0.0
    for s, i in runs[:MOST_RUNS]:
        a, b = (float(share(law, s, i, world)) for law in PAIRS[world["side"]])
        found += ((a - b) / world["noise"]) ** 2
    return found


@lru_cache(maxsize=256)
def best_run(side: str, k_m: float, k_i: float, soluble: float) -> tuple[float, float]:
    """The run in which two rivals differ most, for constants `K` and `Ki`."""
    known, (one, other) = {"K": k_m, "Ki": k_i}, PAIRS[side]
    grid = [10 ** (n / 5) for n in range(-10, 16)]
    pairs = [(float(f"{k_m * a:.4g}"), float(f"{k_i * b:.4g}")) for a in grid for b in grid]
    allowed = [(min(s, soluble), i) for s, i in pairs if s >= LEAST and LEAST <= i <= MOST]
    s, i = (np.array(values) for values in zip(*(allowed or [(soluble, 1.0)]), strict=True))
    apart = np.abs(share(one, s, i, known) - share(other, s, i, known))
    at = int(np.argmax(np.round(apart, 9)))
    return float(s[at]), float(i[at])


def readings(world: World, runs: Sequence[tuple[float, float]]) -> list[float]:
    """Measured rates of runs, as shares of the largest rate, with the same scatter for every plan."""
    noise = rng.stream(world["key"], "plan")
    return [
        round(float(share(world["law"], s, i, world)) + world["noise"] * float(norminv(noise.uniform())), 3)
        for s, i in runs[:MOST_RUNS]
    ]


def better_law(
    side: str, runs: Sequence[tuple[float, float]], seen: Sequence[float], known: Estimates
) -> str:
    """The rival that explains readings better; the first one without any."""
    errors = [
        math.fsum((float(share(law, s, i, known)) - y) ** 2 for (s, i), y in zip(runs, seen, strict=False))
        for law in PAIRS[side]
    ]
    return PAIRS[side][errors.index(min(errors))]


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
    sample, price = world["sample"], world["price"]  # in a fixed order: JSON does not keep that of their keys
    facts = (sample["substrate"], sample["inhibitor"], price["enzyme"], price["minute"])
    return dict(_best_protocol(facts, tuple(float(known[name]) for name in CONSTANTS), law))


@lru_cache(maxsize=256)
def _best_protocol(facts: tuple[float, ...], constants: tuple[float, ...], law: str) -> Mapping[str, float]:
    sample = {"substrate": facts[0], "inhibitor": facts[1]}
    price = {"enzyme": facts[2], "minute": facts[3]}
    known = dict(zip(CONSTANTS, constants, strict=True))
    d, e, m = np.meshgrid(*(np.array(values, float) for values in GRID.values()), indexing="ij")
    worth = np.round(utility({"sample": sample, "price": price}, known, law, d, e, m), 9)
    at = int(np.argmax(worth))
    return {name: float(axis.ravel()[at]) for name, axis in zip(GRID, (d, e, m), strict=True)}


def curves(world: World, known: Estimates, law: str, protocol: Mapping[str, float]) -> Any:
    """The signals of a batch with each deviation over time, and of its twin with a third of the enzyme.

    Returns:
        Shares of the planned substrate, of shape (deviations, 2, POINTS).
    """

    def changed(name: str, usual: float) -> Any:
        return np.array([one.get(name, usual) for one in DEVIATIONS.values()])[:, None, None]

    planned, end = world["sample"]["substrate"] / protocol["dilution"], protocol["minutes"]
    i = world["sample"]["inhibitor"] / protocol["dilution"]
    times = np.array([end * (n + 1) / POINTS for n in range(POINTS)])[None, None, :]
    enzyme = np.array([1.0, TWIN])[None, :, None] * protocol["enzyme"] * changed("enzyme", 1.0)
    running = np.maximum(times - changed("late", 0.0) * end, 1e-9)
    tau = known["tau"] * changed("tau", 1.0)
    made = product(known, law, planned * changed("substrate", 1.0), i, enzyme, running, tau)
    lost = next(n for n, one in enumerate(DEVIATIONS.values()) if "lost" in one)
    half_life = 2 * DEVIATIONS[list(DEVIATIONS)[lost]]["lost"] * end
    made[lost] *= np.array([float(exp(-HALF * t / half_life)) for t in times.ravel().tolist()])
    return made * changed("gain", 1.0) / planned + changed("offset", 0.0)


def measured(world: World, protocol: Mapping[str, float]) -> list[list[list[float]]]:
    """What the reader shows of a control, which went as planned, and of the batches of a protocol."""
    truth = curves(world, world, world["law"], protocol)
    shown = []
    for batch, deviation in enumerate([0, *world["deviations"]]):
        noise = rng.stream(world["key"], "batch", batch)
        shown.append(
            [
                [round(float(y) + CURVE_NOISE * float(norminv(noise.uniform())), 3) for y in row]
                for row in truth[deviation]
            ]
        )
    return shown


def likeliest(candidates: Any, batches: Sequence[Any]) -> list[int]:
    """Of each batch the deviation whose curves explain it best."""
    return [int(np.argmin(np.round(((candidates - np.array(b)) ** 2).sum(axis=(1, 2)), 9))) for b in batches]


def least_distance(candidates: Any) -> float:
    """The smallest squared distance between two deviations in units of the scatter."""
    pairs = combinations(candidates, 2)
    return min(float((((a - b) / CURVE_NOISE) ** 2).sum()) for a, b in pairs)
