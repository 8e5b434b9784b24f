"""Orders of the reference solver to the generator for a task: a card, a seed, and how many events.

The plan of the workflow asks here which samples are shared, so this module imports no numpy. An agent of the
configuration that is such a solver has the solver's own name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from assay.errors import UnknownName
from assay.suites.collider.formats import documents
from assay.suites.collider.problems import sets

DATA_FILES = ("../data/orders.yaml",)

CHAIN_PREFIX = "pythia-"
"""Names of the generators of the physics chain begin with this; each paper has one."""

SEED = 1
"""The seed of every sample that is ordered, so that tasks at one point share theirs."""

HIDDEN = "_hidden-"
"""Part of the id of a task at a point that nobody has published, where other ids have `_sim-`."""


@dataclass(frozen=True)
class Wanted:
    """The region and the sample of a task: a region of a search, at a point, generated with a filter."""

    paper: str
    region: str
    point: str
    filter_name: str

    @property
    def card(self) -> dict[str, str]:
        """The card of the sample, as tools and ledger have it."""
        return {"generator": generator_name(self.paper), "point": self.point, "filter": self.filter_name}


WANTED: Mapping[str, Wanted] = {
    name: Wanted(*entry) for name, entry in documents.packaged("orders.yaml")["wanted"].items()
}
"""By analysis and point, as `sus-16-034 TChiWZ`."""

SIZES: Mapping[str, Mapping[str, int]] = {
    solver: dict.fromkeys((wanted.point.partition("_")[0] for wanted in WANTED.values()), events)
    if isinstance(events, int)
    else events
    for solver, events in documents.packaged("orders.yaml")["sizes"].items()
}
"""Events of a sample that pass its filter, by solver and model."""

_TASK = re.compile(r"^(?P<analysis>.+)_(sim|shape|yield)-(?P<signal>.+?)(_26bins)?$")


@dataclass(frozen=True)
class Order:
    """A sample: the card of what is generated, the seed, and how many events pass the filter."""

    card: Mapping[str, str]
    seed: int
    events: int


def generator_name(paper: str) -> str:
    """Return the name of the generator of a paper's variables.

    >>> generator_name("CMS-SUS-16-046")
    'pythia-sus-16-046'
    """
    return CHAIN_PREFIX + paper.removeprefix("CMS-").lower()


def wanted_by(task_id: str, lowest: float) -> Wanted:
    """Return what a published task wants.

    Args:
        task_id: the published id of the task.
        lowest: where the histogram begins, GeV.

    Raises:
        UnknownName: the chain has no selection for this task.
    """
    match = _TASK.match(task_id)
    name = f"{match['analysis']} {match['signal']}" if match else ""
    if name not in WANTED:
        raise UnknownName(
            f"the chain has no selection for {task_id!r}",
            "name one of cms-v0 or atlas-jets-v0; the table `coverage` says what the others still need",
        )
    wanted = WANTED[name]
    # The filter on missing momentum would bias bins below 350 GeV.
    below = wanted.filter_name == "photon-ptmiss" and lowest < 350.0
    return replace(wanted, filter_name="photon") if below else wanted


def wanted_of(facts: Mapping[str, Any]) -> Wanted:
    """Return what a task wants, given its public part; `UnknownName` where the chain has no selection."""
    wanted = wanted_by(facts["id"].replace(HIDDEN, "_sim-"), facts["histogram"]["edges"][0])
    return replace(wanted, point=facts["point"]) if HIDDEN in facts["id"] else wanted


def order_of(solver: str, task_set: str, facts: Mapping[str, Any]) -> Order | None:
    """Return what a solver orders for a task, given its public part; None where it orders nothing."""
    if solver not in SIZES or sets.generator_of(task_set) != sets.CHAIN:
        return None
    try:
        wanted = wanted_of(facts)
    except UnknownName:
        return None
    return Order(wanted.card, SEED, SIZES[solver][wanted.point.partition("_")[0]])
