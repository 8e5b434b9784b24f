"""The four dimensions of a plan: effectiveness, and what it is worth of novelty, detail and feasibility."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.suites.sgi.plans.laboratory import Outcome
from assay.suites.sgi.plans.plan import FIELDS, Plan

FAR = 0.4
FULL = 0.97
AT_KNEE = 0.05
LEAST_STEP = 0.05


def clip(x: float) -> float:
    """The nearest number of 0 .. 1."""
    return min(max(x, 0.0), 1.0)


def effectiveness(value: float, anchors: Mapping[str, Any]) -> float:
    """The value of a plan against no investigation, the best plan that infers nothing, and the reference.

    Example:
        >>> known = {"zero": 0.0, "knee": 0.4, "reference": 0.9}
        >>> [round(effectiveness(v, known), 4) for v in (0.2, 0.4, 0.7, 0.873)]
        [0.025, 0.05, 0.6525, 1.0]
    """
    zero, knee, reference = (float(anchors[name]) for name in ("zero", "knee", "reference"))
    if value <= knee:
        return AT_KNEE * clip((value - zero) / (knee - zero))
    return AT_KNEE + (1 - AT_KNEE) * clip((value - knee) / (FULL * reference - knee))


def distance(plan: Plan, places: Any, other: Plan, others: Any) -> float:
    """How far two plans are apart, 0 .. 1: half by where their runs lie, half by what they choose."""
    if not len(places) or not len(others):
        return 1.0
    squares = np.zeros((len(places), len(others)))
    for at in range(places.shape[1]):  # one factor after another: the order of a sum is part of the result
        gap = places[:, at][:, None] - others[:, at][None, :]
        squares += gap * gap
    gaps = np.sqrt(squares)
    sides = [math.fsum(gaps.min(axis=axis).tolist()) / gaps.shape[1 - axis] for axis in (1, 0)]
    where = (sides[0] + sides[1]) / 2
    mine, theirs = (_choices(one) for one in (plan, other))
    differ = sum(a != b for a, b in zip(mine, theirs, strict=True)) / len(mine)
    return 0.5 * clip(where / FAR) + 0.5 * float(differ)


def _choices(plan: Plan) -> tuple[Any, ...]:
    instrument = "exact" if plan.instrument.startswith("exact") else "cheap"
    return (
        plan.layout,
        instrument,
        plan.replicates > 1,
        plan.randomise,
        plan.adjust,
        plan.model,
        plan.second is None,
    )


def novelty(plan: Plan, places: Any, published: Sequence[tuple[Plan, Any]]) -> float:
    """Distance from the nearest published plan, full at `FAR`."""
    return clip(min((distance(plan, places, other, where) for other, where in published), default=1.0) / FAR)


def detail(plan: Plan, outcome: Outcome) -> float:
    """Half the share of fields that are given, half the share of declarations that are true."""
    given = len(plan.given) / len(FIELDS)
    declared = plan.declares
    true = (
        declared.get("runs") == outcome.runs,
        declared.get("days") == outcome.days,
        "cost" in declared and abs(declared["cost"] - outcome.cost) <= 0.05 * outcome.cost + 1e-9,
    )
    return 0.5 * given + 0.5 * sum(true) / len(true)


def dimensions(
    plan: Plan, outcome: Outcome, anchors: Mapping[str, Any], published: Sequence[tuple[Plan, Any]]
) -> dict[str, float]:
    """The four dimensions; everything hangs on effectiveness."""
    whole = effectiveness(outcome.value, anchors)
    return {
        "effectiveness": whole,
        "novelty": whole * novelty(plan, outcome.places, published),
        "detailedness": whole * detail(plan, outcome),
        "feasibility": whole * outcome.done,
    }
