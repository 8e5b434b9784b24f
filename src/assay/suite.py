"""What a suite is: a package with the same rooms as every other, loaded by name when called.

`needs` gets the agent's name as the configuration has it, which may differ from its solver's.

========== ====================================================================== =====================
room       offers                                                                 stage that calls it
========== ====================================================================== =====================
settings   `Settings`: what a user may set, by stage (pydantic; imports no numpy) the Snakefile
tasks      `SETS`, `generate(task_set, index, seed, blobs)`, `verify(task)`       tasks
artefacts  `needs(stage, task, agent)`, `make(key, materials, out)`  (optional)   artefacts
world      `open(task, materials, workspace, stream)`                             episodes
solvers    `SOLVERS`                                                              episodes
calibration `calibrate(task, settings, materials)`                                calibration
validation `CHECKS`, `check(name, settings, materials)`                           validation
scoring    `METRICS`, `score(task, episode, materials)`                           scores
audit      `FLAGS`, `expected`, `audit(task, episode, materials)`                 audit
judging    `ROLES`, `question(role, ...)` as audit, `opinion(role, text)` (optional) opinions
analysis   `TABLES`                                                               tables
figures    `FIGURES`                                                              figures
viewer     `show(task, episode, scores, flags, materials)`                        viewer
standing   `ABOUT`, `FIRST`, `PROFILE`, `quoted(published)`                       the report
========== ====================================================================== =====================
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from assay.errors import UnknownName

ROOMS = (
    "settings",
    "tasks",
    "artefacts",
    "world",
    "solvers",
    "calibration",
    "validation",
    "scoring",
    "audit",
    "judging",
    "analysis",
    "figures",
    "viewer",
    "standing",
)

OPTIONAL_ROOMS = frozenset({"artefacts", "judging"})


@dataclass(frozen=True)
class Suite:
    """A suite by name; `package` is where its rooms are."""

    name: str
    package: str

    def module(self, room: str) -> str:
        """The dotted name of one of its rooms."""
        return f"{self.package}.{room}"

    def has(self, room: str) -> bool:
        """Whether the suite has that room, found without importing the room."""
        return find_spec(self.module(room)) is not None

    def room(self, room: str) -> ModuleType:
        """Import one room; `UnknownName` where the suite has none of that name."""
        if room not in ROOMS:
            raise UnknownName(f"{room!r} is not a room of a suite", f"the rooms are {', '.join(ROOMS)}")
        try:
            return import_module(self.module(room))
        except ModuleNotFoundError as problem:
            # What is missing may be any package on the way to the room; else it is something the room needs.
            if not f"{self.module(room)}.".startswith(f"{problem.name}."):
                raise
            raise UnknownName(
                f"the suite {self.name} has no room {room} ({self.module(room)})",
                "write that module, or correct `package` of the suite in the configuration",
            ) from problem

    def find(self, room: str, collection: str, name: str) -> Any:
        """One entry of a room's collection, e.g. `find("solvers", "SOLVERS", "ofat")`."""
        entries = getattr(self.room(room), collection)
        if name not in entries:
            raise UnknownName(
                f"{name!r} is not in {collection} of the suite {self.name}",
                f"choose one of {', '.join(sorted(entries))}",
            )
        return entries[name]


def suite(name: str, package: str | None = None) -> Suite:
    """The suite of that name, in `assay.suites` where no other package is given."""
    return Suite(name, package or f"assay.suites.{name}")
