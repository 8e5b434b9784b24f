"""Suites: packages with the same modules, called rooms.

A stage imports a room when it calls it, so it depends on the source of the rooms that it uses, and on no
other. `assay.rooms` has one protocol for each room, with its functions and constants.

| room | protocol | called by (a stage, unless a module is named) |
|---|---|---|
| `settings` | `SettingsRoom` | `assay.config.models` |
| `tasks` | `TasksRoom` | `tasks`, `assay.config.sets` |
| `artefacts`, optional | `ArtefactsRoom` | `artefact`, `assay.build.planning`, `assay.episodes.artefacts` |
| `world` | `WorldRoom` | `assay.episodes.harness` |
| `solvers` | `SolversRoom` | `episodes`, `sweep` |
| `shortcuts`, optional | `ShortcutsRoom` | `probes`, `site` |
| `abilities`, optional | `AbilitiesRoom` | `probes` |
| `conducts`, optional | `ConductsRoom` | `conducts` |
| `calibration` | `CalibrationRoom` | `calibration` |
| `validation` | `ValidationRoom` | `validation` |
| `scoring` | `ScoringRoom` | `scores`, `sweep` |
| `audit` | `AuditRoom` | `audit`, `sweep` |
| `validity`, optional | `ValidityRoom` | `validity` |
| `opinion`, optional | `OpinionRoom` | `opinions` |
| `analysis` | `AnalysisRoom` | `tables`, `figures` |
| `figures` | `FiguresRoom` | `figures` |
| `viewer` | `ViewerRoom` | `viewer` |
| `reporting` | `ReportingRoom` | `leaderboard`, `profile`, `site` |
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, overload

from assay.errors import UnknownName

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from assay import rooms
    from assay.protocol import FigureSpec, Role, Solver, TableSpec, TaskSet

ROOMS = (
    "settings",
    "tasks",
    "artefacts",
    "world",
    "solvers",
    "shortcuts",
    "abilities",
    "conducts",
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

OPTIONAL_ROOMS = frozenset({"artefacts", "shortcuts", "abilities", "conducts", "validity", "opinion"})

PLACES = {name: f"validity.{name}" for name in ("shortcuts", "abilities", "conducts")}
"""Rooms that stand in another room's package, because all of them describe what the results can show."""

PROBES = {"shortcut-": ("shortcuts", "SHORTCUTS"), "able-": ("abilities", "ABILITIES")}
"""Where solvers whose names begin so stand: they measure task sets and take no part in rankings."""


@dataclass(frozen=True)
class Suite:
    """A suite.

    Attributes:
        name: Its name.
        package: The dotted name of the package that contains its rooms.
    """

    name: str
    package: str

    def module(self, room: str) -> str:
        """Return the dotted name of one of the suite's rooms."""
        return f"{self.package}.{PLACES.get(room, room)}"

    def has(self, room: str) -> bool:
        """Return whether the suite has that room, without importing the room."""
        try:
            return find_spec(self.module(room)) is not None
        except ModuleNotFoundError:  # the package that holds the room is missing
            return False

    def load(self, room: str) -> ModuleType:
        """Import a room whose name is computed. Use `room` for a literal name, because its result is typed.

        Raises:
            UnknownName: If there is no room with this name, or the suite does not have it.
        """
        if room not in ROOMS:
            raise UnknownName(f"{room!r} is not a room of a suite", f"the rooms are {', '.join(ROOMS)}")
        try:
            return import_module(self.module(room))
        except ModuleNotFoundError as problem:
            # If the missing module is neither the room nor one of its parent packages, the room exists and
            # one of its imports is missing.
            if not f"{self.module(room)}.".startswith(f"{problem.name}."):
                raise
            raise UnknownName(
                f"the suite {self.name} has no room {room} ({self.module(room)})",
                "write that module, or correct `package` of the suite in the configuration",
            ) from problem

    @overload
    def room(self, room: Literal["settings"]) -> rooms.SettingsRoom: ...
    @overload
    def room(self, room: Literal["tasks"]) -> rooms.TasksRoom: ...
    @overload
    def room(self, room: Literal["artefacts"]) -> rooms.ArtefactsRoom: ...
    @overload
    def room(self, room: Literal["world"]) -> rooms.WorldRoom: ...
    @overload
    def room(self, room: Literal["solvers"]) -> rooms.SolversRoom: ...
    @overload
    def room(self, room: Literal["calibration"]) -> rooms.CalibrationRoom: ...
    @overload
    def room(self, room: Literal["validation"]) -> rooms.ValidationRoom: ...
    @overload
    def room(self, room: Literal["scoring"]) -> rooms.ScoringRoom: ...
    @overload
    def room(self, room: Literal["audit"]) -> rooms.AuditRoom: ...
    @overload
    def room(self, room: Literal["shortcuts"]) -> rooms.ShortcutsRoom: ...
    @overload
    def room(self, room: Literal["abilities"]) -> rooms.AbilitiesRoom: ...
    @overload
    def room(self, room: Literal["conducts"]) -> rooms.ConductsRoom: ...
    @overload
    def room(self, room: Literal["validity"]) -> rooms.ValidityRoom: ...
    @overload
    def room(self, room: Literal["opinion"]) -> rooms.OpinionRoom: ...
    @overload
    def room(self, room: Literal["analysis"]) -> rooms.AnalysisRoom: ...
    @overload
    def room(self, room: Literal["figures"]) -> rooms.FiguresRoom: ...
    @overload
    def room(self, room: Literal["viewer"]) -> rooms.ViewerRoom: ...
    @overload
    def room(self, room: Literal["reporting"]) -> rooms.ReportingRoom: ...

    def room(self, room: str) -> Any:
        """Import one room, typed by its protocol.

        Example:
            >>> suite("petri").room("scoring").METRICS["score"].headline
            True

        Raises:
            UnknownName: If the suite does not have that room.
        """
        return self.load(room)

    def solver(self, name: str) -> Solver:
        """Return the solver of that name: a shortcut, a planted ability, or an entry of the room `solvers`.

        Raises:
            UnknownName: If the suite has no solver of that name.
        """
        room, collection = solver_room(name)
        solvers: Mapping[str, Solver] = getattr(self.load(room), collection)
        if name not in solvers:
            raise _unknown(name, collection, self.name, solvers)
        return solvers[name]

    @overload
    def find(self, room: Literal["tasks"], collection: Literal["SETS"], name: str) -> TaskSet: ...
    @overload
    def find(self, room: Literal["solvers"], collection: Literal["SOLVERS"], name: str) -> Solver: ...
    @overload
    def find(self, room: Literal["opinion"], collection: Literal["ROLES"], name: str) -> Role: ...
    @overload
    def find(self, room: Literal["analysis"], collection: Literal["TABLES"], name: str) -> TableSpec: ...
    @overload
    def find(self, room: Literal["figures"], collection: Literal["FIGURES"], name: str) -> FigureSpec: ...

    def find(self, room: str, collection: str, name: str) -> Any:
        """Return one entry of a room's collection.

        Example:
            >>> suite("petri").find("solvers", "SOLVERS", "ofat").privileged
            True

        Raises:
            UnknownName: If the collection has no entry of that name.
        """
        entries = getattr(self.load(room), collection)
        if name not in entries:
            raise _unknown(name, collection, self.name, entries)
        return entries[name]


def _unknown(name: str, collection: str, suite: str, known: Iterable[str]) -> UnknownName:
    return UnknownName(
        f"{name!r} is not in {collection} of the suite {suite}",
        f"choose one of {', '.join(sorted(known))}",
    )


def solver_room(name: str) -> tuple[str, str]:
    """Return the room in which a solver of that name stands, and the collection there.

    Example:
        >>> solver_room("shortcut-format"), solver_room("ofat")
        (('shortcuts', 'SHORTCUTS'), ('solvers', 'SOLVERS'))
    """
    return next(
        (place for prefix, place in PROBES.items() if name.startswith(prefix)), ("solvers", "SOLVERS")
    )


def suite(name: str, package: str | None = None) -> Suite:
    """Return the suite with this name. Its package is `assay.suites.<name>` unless another one is given."""
    return Suite(name, package or f"assay.suites.{name}")
