"""Which models of a file fit what was seen: the list of candidate graphs of the released controller.

A candidate is a model with its parameters. The first state of a golden chain is the first `before`; the
original took the previous item of its list, another crystal, which excludes the truth in every case.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.suites.causalab.model.scm import Model
from assay.suites.causalab.simulation.golden import Item
from assay.suites.causalab.simulation.laboratory import Manipulator

NEAR = 0.01 + 1e-9
MOST_SHOWN = 20

ALIASES = {"pH": "ph", "temperature": "temperatureC", "radiationusvh": "radiation"}


@dataclass(frozen=True)
class Transition:
    """A state, an intervention on it, and the state after."""

    before: Mapping[str, float]
    after: Mapping[str, float]
    target: str
    value: float


def transitions(items: Sequence[Item]) -> list[Transition]:
    """The transitions of a golden trace."""
    results, before = [], items[0].values if items else {}
    for item in items[2:]:
        if item.target is not None and item.value is not None:
            results.append(Transition(before, item.values, item.target, item.value))
            before = item.values
    return results


def consistent(models: Iterable[Model], names: Iterable[str], seen: Sequence[Transition]) -> list[Model]:
    """The models with exactly these properties that reproduce every transition to a cent."""
    wanted = {ALIASES.get(name, name) for name in names}
    return [
        model for model in models if set(model.properties) == wanted and all(_fits(model, t) for t in seen)
    ]


def _fits(model: Model, seen: Transition) -> bool:
    crystal = Manipulator(model, model.inferred_bases(seen.before))
    view = crystal.intervene(ALIASES.get(seen.target, seen.target), seen.value)
    return all(abs(view[name] - seen.after[name]) <= NEAR for name in model.names)


def listed(suite: str, models: Sequence[Model], used: int, names: Sequence[str]) -> dict[str, Any]:
    """The list as an agent would be shown it: at most twenty graphs."""
    view = models[:MOST_SHOWN]
    return {
        "suite": suite,
        "candidates": len(models),
        "shown": len(view),
        "transitions": used,
        "properties": list(names),
        "graphs": [
            {"graph_id": m.graph_id, "edges": [{"from": a, "to": b} for a, b in m.edges]} for m in view
        ],
    }
