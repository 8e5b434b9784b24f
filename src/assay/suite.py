"""What a suite is: a package with the same modules, its rooms, as every other suite.

A stage loads a room by name when it calls it, so it depends on the source of the rooms that it uses and on no
other. `assay.protocol` has the types that appear here.

| room | what it offers | called by (a stage, or the module that is named) |
|---|---|---|
| `settings` | `Settings`: what a user may set, by stage (pydantic, without numpy) | `assay.config.models` |
| `tasks` | `SETS` (`TaskSet` by name) | `assay.config.sets` |
| | `generate(task_set, set_name, index, seed, blobs) -> Task`, `verify(task)` | `tasks` |
| `artefacts`, optional | `needs(stage, task, agent) -> Iterable[Key]` | `assay.build.plan` |
| | `make(key, materials, out)` | `artefact`, or on the spot |
| `world` | `open(task, materials, workspace, stream) -> World` | `assay.episodes.harness` |
| `solvers` | `SOLVERS` (`Solver` by name) | `episodes`, `sweep` |
| `calibration` | `calibrate(task, settings, materials) -> Iterable[Measure]` | `calibration` |
| `validation` | `CHECKS`, `check(name, settings, materials) -> Iterable[CheckRow]` | `validation` |
| `scoring` | `METRICS`, `score(task, episode, materials) -> Iterable[Score]` | `scores`, `sweep` |
| `audit` | `FLAGS`, `audit(task, episode, materials) -> Iterable[Flag]` | `audit`, `sweep` |
| | `expected(agent, strata, answered) -> Conduct or None` | the suite's tables, the tests |
| `shortcuts`, optional | `SHORTCUTS` (`Solver` by name) | `episodes`, `sweep` |
| `abilities`, optional | `ABILITIES` (`Solver` by name) | `episodes`, `sweep` |
| `validity`, optional | `YARDSTICK` (`Yardstick`) | `validity` |
| `opinion`, optional | `ROLES`, `question(role, task, episode, materials) -> Question or None` | `opinions` |
| | `opinion(role, text) -> Opinion or None` | `opinions` |
| `analysis` | `TABLES` (`TableSpec` by name) | `tables`, `figures` |
| `figures` | `FIGURES` (`FigureSpec` by name) | `figures` |
| `viewer` | `show(task, episode, scores, flags, materials) -> Iterable[Block]` | `viewer` |
| `reporting` | `PROFILE` (evidence by axis) | `profile` |
| | `quoted(published) -> Iterable[Quoted]` | `leaderboard` |
| | `ABOUT`, `FIRST` (the set that the report shows first) | `site` |

A private set has a name of its own and the recipe (`task_set`) of a public one, with a secret `seed`; hence
the arguments of `generate`. The `task` of `needs` is `None` for the stage `validation`, which plays none, and
its `agent` is the name in the configuration, which may differ from the solver's.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from assay.errors import UnknownName
from assay.protocol import Solver

ROOMS = (
    "settings",
    "tasks",
    "artefacts",
    "world",
    "solvers",
    "shortcuts",
    "abilities",
    "calibration",
    "validation",
    "scoring",
    "audit",
    "validity",
    "opinion",
    "analysis",
    "figures",
    "viewer",
    "reporting",
)

OPTIONAL_ROOMS = frozenset({"artefacts", "shortcuts", "abilities", "validity", "opinion"})

PROBES = {"shortcut-": ("shortcuts", "SHORTCUTS"), "able-": ("abilities", "ABILITIES")}
"""Where solvers whose names begin so stand: they measure task sets and take no part in rankings."""


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

    def solver(self, name: str) -> Solver:
        """The solver of that name: a shortcut, a planted ability, or an entry of the room `solvers`.

        Raises:
            UnknownName: the suite has no solver of that name.
        """
        solver: Solver = self.find(*solver_room(name), name)
        return solver

    def find(self, room: str, collection: str, name: str) -> Any:
        """One entry of a room's collection, e.g. `find("solvers", "SOLVERS", "ofat")`."""
        entries = getattr(self.room(room), collection)
        if name not in entries:
            raise UnknownName(
                f"{name!r} is not in {collection} of the suite {self.name}",
                f"choose one of {', '.join(sorted(entries))}",
            )
        return entries[name]


def solver_room(name: str) -> tuple[str, str]:
    """The room in which a solver of that name stands, and the collection there.

    >>> solver_room("shortcut-format"), solver_room("ofat")
    (('shortcuts', 'SHORTCUTS'), ('solvers', 'SOLVERS'))
    """
    return next(
        (place for prefix, place in PROBES.items() if name.startswith(prefix)), ("solvers", "SOLVERS")
    )


def suite(name: str, package: str | None = None) -> Suite:
    """The suite of that name, in `assay.suites` where no other package is given."""
    return Suite(name, package or f"assay.suites.{name}")
