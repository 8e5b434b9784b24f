"""The samples that the reference solver needs for each task: a card, a seed, and the number of events.

The workflow plan uses this module to find shared samples, so it must not import numpy. An agent of the
configuration that is such a solver has the name of the solver.
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

PREFIXES: Mapping[str, str] = {sets.CHAIN: "pythia-", sets.OBJECTS: "objects-"}
"""Prefix of the names of the generators of the physics chain by level; each paper has one."""

SEED = 1
"""Seed of all samples that are ordered, so that tasks at one point share theirs."""

LENDERS: Mapping[str, str] = {"shortcut-table": "physicist"}
"""Agents that order the samples of a reference solver, and whose."""

HIDDEN = "_hidden-"
"""Part of the id of a task at a point that is not published; other ids have `_sim-` there."""


@dataclass(frozen=True)
class Wanted:
    """The region and the sample that a task needs: a region of a search, a point and a filter, at a level."""

    paper: str
    region: str
    point: str
    filter_name: str
    level: str = sets.CHAIN

    @property
    def card(self) -> dict[str, str]:
        """The card of the sample, in the form that tools and the ledger use."""
        name = generator_name(self.paper, self.level)
        return {"generator": name, "point": self.point, "filter": self.filter_name}


WANTED: Mapping[str, Wanted] = {
    name: Wanted(*entry) for name, entry in documents.packaged("orders.yaml")["wanted"].items()
}
"""What each task needs, by analysis and signal, such as `sus-16-034 TChiWZ`."""

SIZES: Mapping[str, Mapping[str, int]] = documents.packaged("orders.yaml")["sizes"]
"""Number of events of a sample that pass its filter, by solver, and then by level, point, model or REST."""

REST = "rest"

_TASK = re.compile(r"^(?P<analysis>.+)_(sim|shape|yield)-(?P<signal>.+?)(_26bins)?$")


@dataclass(frozen=True)
class Order:
    """A sample: the card of what is generated, the seed, and how many events pass the filter."""

    card: Mapping[str, str]
    seed: int
    events: int


def generator_name(paper: str, level: str = sets.CHAIN) -> str:
    """Return the name of the generator of a paper's variables, or of the candidates of its events.

    >>> generator_name("CMS-SUS-16-046")
    'pythia-sus-16-046'
    >>> generator_name("CMS-SUS-16-047", "objects")
    'objects-sus-16-047'
    """
    return PREFIXES[level] + paper.removeprefix("CMS-").lower()


def prefix_of(name: str) -> str:
    """Return the prefix of a generator of the physics chain; empty for another one.

    >>> prefix_of("objects-sus-16-047"), prefix_of("mock")
    ('objects-', '')
    """
    return next((prefix for prefix in PREFIXES.values() if name.startswith(prefix)), "")


def wanted_by(task_id: str, lowest: float) -> Wanted:
    """Return the region and the sample that a published task needs.

    Args:
        task_id: the published id of the task.
        lowest: the lowest edge of the histogram, GeV.

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
    """Return the region and the sample that a task needs, given its public part.

    Raises `UnknownName` if the chain has no selection for it.
    """
    wanted = wanted_by(facts["id"].replace(HIDDEN, "_sim-"), facts["histogram"]["edges"][0])
    return replace(wanted, point=facts["point"]) if HIDDEN in facts["id"] else wanted


def order_of(solver: str, task_set: str, facts: Mapping[str, Any]) -> Order | None:
    """Return the sample that a solver orders for a task, given its public part; None if it orders none."""
    level = sets.generator_of(task_set)
    if solver not in SIZES or level is None or level not in PREFIXES:
        return None
    try:
        wanted = wanted_of(facts)
    except UnknownName:
        return None
    sizes, model = SIZES[solver], wanted.point.partition("_")[0]
    events = next(sizes[name] for name in (level, wanted.point, model, REST) if name in sizes)
    return Order(replace(wanted, level=level).card, SEED, events)
