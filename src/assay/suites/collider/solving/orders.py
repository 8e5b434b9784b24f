"""What the reference solver orders of the generator for a task: a card, a seed, and how many events.

The plan of the workflow asks here which samples are shared, so this module imports no numpy. An agent of the
configuration that is such a solver has the solver's own name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from assay.errors import UnknownName
from assay.suites.collider.chain.signal.wanted import Wanted, wanted_by
from assay.suites.collider.problems import sets

SEED = 1
"""Of every sample that is ordered, so that tasks at one point share theirs."""

_MODELS = ("T5Wg", "TChiWg", "T6gg", "TChiWZ", "T2tt", "T2bW", "T1", "T2qq", "T5WW", "Gl", "Sq")

SIZES: Mapping[str, Mapping[str, int]] = {
    "physicist-small": dict.fromkeys(_MODELS, 500),
    "physicist": dict.fromkeys(_MODELS, 2_000),
    "physicist-large": {
        "T5Wg": 20_000,
        "TChiWg": 20_000,
        "T6gg": 10_000,
        "TChiWZ": 40_000,
        "T2tt": 60_000,
        "T2bW": 100_000,
        "T1": 10_000,
        "T2qq": 10_000,
        "T5WW": 20_000,
        "Gl": 10_000,
        "Sq": 60_000,
    },
}
"""Events of a sample that pass its filter, by solver and model. Small ones, of one chunk, try whether all
works; those of the physicist take about half a minute of a core each, and leave a noise of 0.02 to 0.3 in d;
the large ones take an hour or two together.
"""

LENDERS: Mapping[str, str] = {"shortcut-table": "physicist"}
"""Agents that order the samples of a reference solver, and whose."""

HIDDEN = "_hidden-"
"""In the id of a task at a point that nobody has published; it stands where others have `_sim-`."""


@dataclass(frozen=True)
class Order:
    """A sample."""

    card: Mapping[str, str]
    seed: int
    events: int


def wanted_of(facts: Mapping[str, Any]) -> Wanted:
    """Region and sample of a task by its public part; `UnknownName` where the chain has no selection."""
    wanted = wanted_by(facts["id"].replace(HIDDEN, "_sim-"), facts["histogram"]["edges"][0])
    return replace(wanted, point=facts["point"]) if HIDDEN in facts["id"] else wanted


def order_of(solver: str, task_set: str, facts: Mapping[str, Any]) -> Order | None:
    """What that solver orders for a task; null where it orders nothing."""
    if solver not in SIZES or sets.generator_of(task_set) != sets.CHAIN:
        return None
    try:
        wanted = wanted_of(facts)
    except UnknownName:
        return None
    return Order(wanted.card, SEED, SIZES[solver][wanted.point.partition("_")[0]])
