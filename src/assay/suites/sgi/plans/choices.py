"""Decisions of a plan, plans from decisions, and good decisions by a search in the world."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from assay.config.data import read
from assay.suites.sgi.frame.decision import Choices, Decision, Value, rounded
from assay.suites.sgi.plans.laboratory import declared, execute
from assay.suites.sgi.plans.plan import Plan, from_json
from assay.suites.sgi.plans.questions import question_of
from assay.suites.sgi.plans.surface import natural

LEVELS = 3
"""Levels of a varied factor."""


@cache
def kinds() -> Mapping[str, Decision]:
    """The kinds of decisions by name."""
    found: dict[str, Decision] = read(Path(__file__).with_name("decisions.yaml"), dict[str, Decision])
    return found


def kind_of(name: str) -> Decision:
    """The kind of a decision: `vary 3` is a `vary`."""
    return kinds()[name.split(" ")[0]]


def names_of(world: Mapping[str, Any]) -> list[str]:
    """The decisions of a world."""
    of_factors = [f"{kind} {at + 1}" for kind in ("vary", "place") for at in range(len(world["factors"]))]
    left_out = ("second", "shrink", "second_replicates") if world["asked"] else ("levels",)
    return [*of_factors, *(name for name in kinds() if name not in ("vary", "place", *left_out))]


def model_names(world: Mapping[str, Any]) -> Mapping[str, str]:
    """What the two values of the decision `model` are called in a world."""
    question = question_of(world)
    names = ("best", "parabola") if question is None else question.MODELS
    return dict(zip(kinds()["model"].values, names, strict=True))


def matters(name: str, choices: Mapping[str, Value]) -> bool:
    """Whether a decision has an effect under the others."""
    return all(choices.get(other) == value for other, value in kind_of(name).condition.items())


def textbook(world: Mapping[str, Any]) -> Choices:
    """Usual decisions: all factors around their usual values."""
    usual = {f"place {at + 1}": value for at, value in enumerate(world["usual"])}
    return {name: usual.get(name, kind_of(name).textbook) for name in names_of(world)}


def body_of(world: Mapping[str, Any], d: Mapping[str, Value]) -> dict[str, Any]:
    """The JSON object of the plan that carries out decisions, without what it declares of itself."""
    factors: dict[str, Any] = {}
    for at, factor in enumerate(world["factors"]):
        place = float(d[f"place {at + 1}"])
        if d[f"vary {at + 1}"] == "yes":
            span = float(d["span"])
            low, high = max(place - span, 0.0), min(place + span, 1.0)
            ends = [low, place, high]
            if at in world["asked"]:
                steps = int(d["levels"]) - 1
                ends = [low + (high - low) * step / steps for step in range(steps + 1)]
            factors[factor["name"]] = [natural(world, at, value) for value in ends]
        else:
            factors[factor["name"]] = natural(world, at, place)
    return {
        "factors": factors,
        "layout": d["layout"],
        "replicates": int(d["replicates"]),
        "instrument": d["instrument"],
        "blocks": {"by": "day", "randomise": d["randomise"] == "yes"},
        "controls": [],
        "analysis": {
            "model": model_names(world)[str(d["model"])],
            "adjust": "day" if d["adjust"] == "yes" else "no",
            "target": "largest" if world["kind"] == "surface" else world["kind"],
        },
        "second": {"around": "best", "shrink": d["shrink"], "replicates": int(d["second_replicates"])}
        if d.get("second") == "yes"
        else None,
        "stop": {"rule": "budget", "value": world["budget"]},
    }


def object_of(world: Mapping[str, Any], choices: Mapping[str, Value]) -> dict[str, Any]:
    """The JSON object of a plan; what it declares of itself is true."""
    made = body_of(world, choices)
    return {**made, "declares": declared(world, from_json(made))}


def plan_of(world: Mapping[str, Any], choices: Mapping[str, Value]) -> Plan:
    """The plan that carries out decisions."""
    return from_json(body_of(world, choices))


def good(world: Mapping[str, Any], given: Mapping[str, Value] | None = None, sweeps: int = 2) -> Choices:
    """Decisions that do well in a world, by coordinate search; `given` ones stay."""
    given = dict(given or {})
    best: Choices = {**_start(world), **given}
    value = _worth(world, best)
    for sweep in range(sweeps):
        before = value
        for name in names_of(world):
            if name in given or not matters(name, best):
                continue
            decision = kind_of(name)
            grid = list(decision.grid())
            if not decision.values and not decision.even and sweep:
                near = [float(best[name]) / 1.25, float(best[name]) * 1.25]
                grid = [rounded(min(max(x, decision.low), decision.high)) for x in near]
            for candidate in grid:
                if candidate != best[name]:
                    trial = {**best, name: candidate}
                    found = _worth(world, trial)
                    if found > value + 1e-9:
                        best, value = trial, found
        if value <= before:
            break
    return best


def _start(world: Mapping[str, Any]) -> Choices:
    """Where a search begins: what matters for the question varied, the rest held."""
    choices = textbook(world)
    grid = [float(value) for value in kinds()["place"].grid()]
    for at in range(len(world["factors"])):
        active = at in world["active"]
        choices[f"vary {at + 1}"] = "yes" if active and not world["asked"] else "no"
        if active:
            choices[f"place {at + 1}"] = min(grid, key=lambda value: abs(value - world["top"][at]))
    question = question_of(world)
    if question is None:
        return {**choices, "second": "yes", "layout": "star", "span": 0.15, "model": "parabola"}
    for at, place in zip(world["asked"], question.places(world["parameters"]), strict=True):
        choices[f"vary {at + 1}"] = "yes"
        choices[f"place {at + 1}"] = min(grid, key=lambda value: abs(value - place))
    layout = "star" if len(world["asked"]) > 3 else "grid"
    model = kinds()["model"].values[int(world["parameters"]["form"])]
    return {**choices, "layout": layout, "span": 0.25, "model": model, "replicates": "1"}


def _worth(world: Mapping[str, Any], choices: Mapping[str, Value]) -> float:
    outcome = execute(world, plan_of(world, choices))
    return outcome.value - 0.1 * (1.0 - outcome.done)
