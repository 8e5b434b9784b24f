"""The outcome of a protocol, and its raw score against the outcome of a reference."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from assay.numbers.portable import log
from assay.suites.sgi.bench.simulator.state import Bench

WEIGHTS: Mapping[str, float] = {
    "conversion": 0.20,
    "recovery": 0.20,
    "strength": 0.10,
    "purity": 0.20,
    "quantity": 0.15,
    "controls": 0.15,
}
CONTROLS = ("no enzyme", "no substrate")
DECADES = 0.8
ACCIDENT = 0.8
CRUDE = 0.5
LN10 = 2.302585092994046

Outcome = dict[str, Any]


def outcome(bench: Bench) -> Outcome:
    """What came of a protocol: by sample `made`, `y`, `c`, `u`, `e`; then time, cost, controls, accidents."""
    samples = {}
    for name in bench.world["samples"]:
        given = bench.submitted.get(name, {"y": 0.0, "c": 0.0, "u": 0.0, "error": 9.0})
        made = bench.made.get(name, 0.0)
        samples[name] = {"made": made, "y": given["y"], "c": given["c"], "u": given["u"], "e": given["error"]}
    return {
        "samples": samples,
        "minutes": bench.time,
        "cost": bench.cost,
        "controls": {kind: bool(bench.controls.get(kind)) for kind in CONTROLS},
        "accidents": sorted(bench.accidents),
    }


def clip(x: float) -> float:
    """The nearest number of 0 .. 1."""
    return min(max(x, 0.0), 1.0)


def log_d(x: float) -> float:
    """1 at full value or above, less by the decades that are missing, 0 from `DECADES` on.

    Example:
        >>> log_d(0.1), round(log_d(0.5), 4)
        (0.0, 0.6237)
    """
    return 0.0 if x <= 0 else clip(1.0 + log(x) / LN10 / DECADES)


def odds(u: float) -> float:
    """Logarithm of the odds of a purity, which is kept off 0 and 1."""
    u = min(max(u, 1e-6), 1 - 1e-6)
    return log(u / (1 - u))


def quantity_score(e: float) -> float:
    """The score of a relative error of the reported concentration.

    Example:
        >>> [round(quantity_score(e), 4) for e in (0.04, 0.2, 0.8)]
        [1.0, 0.4628, 0.0]
    """
    return clip(1.0 - log(max(e, 0.04) / 0.04) / log(20.0))


def crude_purity(world: Mapping[str, Any], sample: str) -> float:
    """The purity where half is converted and nothing is cleaned."""
    inside = world["samples"][sample]
    half = CRUDE * inside["substrate"]
    return float(half / (inside["substrate"] + inside["inhibitor"] + inside["colour"]))


def _ratio(a: float, b: float) -> float:
    return a / b if b > 0 else 0.0


def parts(world: Mapping[str, Any], got: Outcome, reference: Outcome) -> dict[str, float]:
    """The components of the score, each the mean over samples, with the gate of each sample applied."""
    controls = math.fsum(got["controls"].values()) / len(CONTROLS)
    sums = dict.fromkeys(WEIGHTS, 0.0)
    for name, one in reference["samples"].items():
        mine = got["samples"][name]
        gate = min(1.0, _ratio(mine["y"], 0.05 * one["y"]))
        base = odds(crude_purity(world, name))
        scores = {
            "conversion": log_d(_ratio(mine["made"], 0.97 * one["made"])),
            "recovery": log_d(_ratio(_ratio(mine["y"], mine["made"]), 0.95 * _ratio(one["y"], one["made"]))),
            "strength": log_d(_ratio(mine["c"], 0.75 * one["c"])),
            "purity": clip((odds(mine["u"]) - base) / max(0.98 * odds(one["u"]) - base, 0.3)),
            "quantity": quantity_score(mine["e"]),
            "controls": controls,
        }
        for part, value in scores.items():
            sums[part] += gate * value / len(reference["samples"])
    return sums


def raw(world: Mapping[str, Any], got: Outcome, reference: Outcome, limits: Mapping[str, float]) -> float:
    """The raw score of an outcome, 0 .. 1."""
    sums = parts(world, got, reference)
    whole = math.fsum(weight * sums[part] for part, weight in WEIGHTS.items())
    late = min(1.0, _ratio(limits["minutes"], got["minutes"])) if got["minutes"] > 0 else 0.0
    dear = min(1.0, _ratio(limits["cost"], got["cost"])) if got["cost"] > 0 else 0.0
    return float(late * dear * math.prod([ACCIDENT] * len(got["accidents"])) * whole)


def worth(world: Mapping[str, Any], got: Outcome) -> float:
    """What a search for the reference maximises: the same parts against what could be had at best.

    A minute and a unit of cost count a little, so that the reference does not waste either.
    """
    total = 0.0
    for name, one in got["samples"].items():
        inside = world["samples"][name]
        whole = inside["substrate"] * world["sample_amount"] * 0.4
        total += 0.20 * _log(_ratio(one["made"], whole)) + 0.20 * _log(_ratio(one["y"], one["made"]))
        total += 0.10 * _log(_ratio(one["c"], inside["substrate"]))
        total += 0.20 * (odds(one["u"]) - odds(crude_purity(world, name))) / 5.0
        total += 0.15 * max(1.0 - log(max(one["e"], 0.04) / 0.04) / log(20.0), -2.0)
    total /= len(got["samples"])
    total += 0.15 * math.fsum(got["controls"].values()) / len(CONTROLS)
    waste = 0.0015 * got["minutes"] + 0.0006 * got["cost"] + 0.25 * len(got["accidents"])
    for name, limit in world.get("limits", {}).items():  # a solver knows them; the reference sets them
        waste += max(0.0, log(max(got[name], 1e-9) / limit))
    return float(total - waste)


def _log(x: float) -> float:
    """`log_d` without its clipping below, so that a search sees where to go."""
    return min(1.0 + log(max(x, 1e-9)) / LN10 / DECADES, 1.2)
