"""Golden traces: informative interventions that are chosen in advance and given to the agent as evidence.

A trace is a start state, one unrelated observation, and a chain of interventions on the start state.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.numbers.rng import Stream
from assay.suites.causalab.metrics.imec import Evidence, imec_data, imec_targets
from assay.suites.causalab.model.files import ModelError, is_number
from assay.suites.causalab.model.scm import Model, Values
from assay.suites.causalab.model.variables import TARGET
from assay.suites.causalab.simulation.laboratory import Manipulator, Semantics

LONGEST_CHAIN = 6
CANDIDATES = 64

MOST_ROUNDINGS = 10
"""Number of times that a state is derived anew from its rounded values, until it stays."""

EXHAUSTIVE = 4
"""Largest number of variables for which chains are compared by `imec_data`, otherwise by `imec_targets`."""


@dataclass(frozen=True)
class Item:
    """One observation or intervention result; `target` and `value` are None for an observation."""

    values: Values
    target: str | None = None
    value: float | None = None


def items_of(model: Model) -> list[Item]:
    """Return the items of a model's `bootstrap_past_data`; raises `ModelError` if one is malformed."""
    entries = model.raw.get("bootstrap_past_data", [])
    if not isinstance(entries, list):
        raise _broken(model, "bootstrap_past_data", "must be a list")
    return [_item(model, n, entry) for n, entry in enumerate(entries)]


def _item(model: Model, n: int, entry: Any) -> Item:
    place = f"bootstrap_past_data[{n}]"
    if not isinstance(entry, dict) or not isinstance(entry.get("props"), dict):
        raise _broken(model, place, "must be an object with the keys props and freq")
    values = {**entry["props"], TARGET: entry.get("freq")}
    for name in model.names:
        if not is_number(values.get(name)):
            raise _broken(model, place, f"needs a finite number for {name}")
    chosen = entry.get("intervention")
    if chosen is None:
        return Item({name: values[name] for name in model.names})
    if not isinstance(chosen, dict) or chosen.get("target_prop") not in model.controllable:
        raise _broken(model, f"{place}.intervention.target_prop", "must be a controllable property")
    if not is_number(chosen.get("target_value")):
        raise _broken(model, f"{place}.intervention.target_value", "must be a finite number")
    return Item({n: values[n] for n in model.names}, chosen["target_prop"], chosen["target_value"])


def _broken(model: Model, place: str, rule: str) -> ModelError:
    return ModelError(f"{model.graph_id}: {place}: {rule}", "restore the model's golden trace")


def to_json(items: Sequence[Item]) -> list[dict[str, Any]]:
    """Return items in the form in which a model's file holds them."""
    entries = []
    for n, item in enumerate(items):
        entry: dict[str, Any] = {
            "id": f"{n}/bootstrap",
            "props": {name: value for name, value in item.values.items() if name != TARGET},
            "freq": item.values[TARGET],
        }
        if item.target is not None:
            entry["intervention"] = {"target_prop": item.target, "target_value": item.value}
        entries.append(entry)
    return entries


def replays(model: Model, items: Sequence[Item], semantics: Semantics = "setpoint") -> bool:
    """Tell whether the chain gives its recorded values if it starts from the bases that item 0 implies."""
    crystal = Manipulator(model, model.inferred_bases(items[0].values), semantics)
    if _cents(crystal.shown) != _cents(items[0].values):
        return False
    return all(
        _cents(crystal.intervene(item.target, float(item.value or 0))) == _cents(item.values)
        for item in items[2:]
        if item.target is not None
    )


def _cents(values: Mapping[str, float]) -> dict[str, int]:
    return {name: round(value * 100) for name, value in values.items()}


def chain(model: Model, stream: Stream) -> list[Item]:
    """Return a golden trace: the least ambiguous of `CANDIDATES` random chains.

    Chains are compared by the ambiguity after the first intervention, then after the second, and so on. The
    properties are set to integers from 0 to 100 in a random order that is repeated. A chain has at most
    `LONGEST_CHAIN` interventions; it ends earlier once one candidate is left and every property was set. The
    bases of the two observations are drawn from the model's distributions.
    """
    observed = [_observation(model, stream) for _ in range(2)]
    measure = _measure(model)
    best: tuple[tuple[float, ...], list[Item]] | None = None
    for _ in range(CANDIDATES):
        order = list(model.controllable)
        stream.shuffle(order)
        crystal = Manipulator(model, model.inferred_bases(observed[0].values))
        items, sizes = list(observed), []
        for step in range(LONGEST_CHAIN):
            name, value = order[step % len(order)], stream.below(101)
            state = crystal.intervene(name, float(value))
            items.append(Item({n: state[n] for n in model.names}, name, value))
            sizes.append(measure(items))
            if sizes[-1] == 1 and step + 1 >= len(order):
                break
        key = (*sizes, *[math.inf] * (LONGEST_CHAIN - len(sizes)))
        if best is None or key < best[0]:
            best = key, items
    if best is None:
        raise AssertionError("there is always a chain")
    return best[1]


def _observation(model: Model, stream: Stream) -> Item:
    bases = model.drawn_bases(random.Random(stream.bits()))
    state = model.evaluate(bases)
    # An agent sees two decimals, so the chain must start from the rounded state. With weights of three
    # decimals the bases that a rounded state implies may give another one, a cent away.
    for _ in range(MOST_ROUNDINGS):
        state, before = model.evaluate(model.inferred_bases(state)), state
        if state == before:
            break
    return Item({name: state[name] for name in model.names})


def _measure(model: Model) -> Callable[[Sequence[Item]], float]:
    if len(model.names) <= EXHAUSTIVE:
        return lambda items: imec_data(model.names, evidence(items), model.target_is_parent)
    return lambda items: (
        imec_targets(
            model.names, model.edges, {item.target for item in items if item.target is not None}
        ).count
    )


def evidence(items: Sequence[Item]) -> Evidence:
    """Return a trace as evidence: item 0 and the chain are states of one crystal, item 1 is a record."""
    states = [item.values for item in (*items[:1], *items[2:])]
    targets = [item.target or "" for item in items[2:]]
    return Evidence([item.values for item in items[1:2]], states, targets)
