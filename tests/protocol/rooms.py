"""Every room of every suite satisfies its protocol: mypy checks these functions (`make lint`).

A new suite adds a function of its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from assay import rooms
from assay.episode import Episode
from assay.protocol import Flag, Materials, Score
from assay.report.blocks import Block
from assay.task import Task


class BlockViewer(rooms.ViewerRoom, Protocol):
    """The room `viewer` with the type that `assay.rooms` cannot name, because it is a layer below blocks."""

    def show(
        self,
        task: Task,
        episode: Episode,
        scores: Sequence[Score],
        flags: Sequence[Flag],
        materials: Materials,
    ) -> Iterable[Block]: ...


@dataclass(frozen=True)
class Rooms:
    """The modules of one suite."""

    analysis: rooms.AnalysisRoom
    audit: rooms.AuditRoom
    calibration: rooms.CalibrationRoom
    figures: rooms.FiguresRoom
    reporting: rooms.ReportingRoom
    scoring: rooms.ScoringRoom
    settings: rooms.SettingsRoom
    solvers: rooms.SolversRoom
    tasks: rooms.TasksRoom
    validation: rooms.ValidationRoom
    viewer: BlockViewer
    world: rooms.WorldRoom
    artefacts: rooms.ArtefactsRoom | None = None
    opinion: rooms.OpinionRoom | None = None
    shortcuts: rooms.ShortcutsRoom | None = None
    abilities: rooms.AbilitiesRoom | None = None
    conducts: rooms.ConductsRoom | None = None
    validity: rooms.ValidityRoom | None = None


# One name a line would make this file six times as long.
# fmt: off
# isort: off


def madeup() -> Rooms:
    from tests.protocol.madeup import (
        analysis, artefacts, audit, calibration, figures, opinion, reporting, scoring, settings,
        solvers, tasks, validation, viewer, world,
        validity
    )
    from tests.protocol.madeup.validity import abilities, conducts, shortcuts
    return Rooms(
        analysis, audit, calibration, figures, reporting, scoring, settings, solvers, tasks,
        validation, viewer, world, artefacts, opinion,
        shortcuts=shortcuts, abilities=abilities, conducts=conducts, validity=validity
    )


def petri() -> Rooms:
    from assay.suites.petri import (
        analysis, audit, calibration, figures, reporting, scoring, settings, solvers, tasks,
        validation, viewer, world,
        validity
    )
    from assay.suites.petri.validity import abilities, conducts, shortcuts
    return Rooms(
        analysis, audit, calibration, figures, reporting, scoring, settings, solvers, tasks,
        validation, viewer, world,
        shortcuts=shortcuts, abilities=abilities, conducts=conducts, validity=validity
    )


def causalab() -> Rooms:
    from assay.suites.causalab import (
        analysis, audit, calibration, figures, reporting, scoring, settings, solvers, tasks,
        validation, viewer, world,
        validity
    )
    from assay.suites.causalab.validity import abilities, conducts, shortcuts
    return Rooms(
        analysis, audit, calibration, figures, reporting, scoring, settings, solvers, tasks,
        validation, viewer, world,
        shortcuts=shortcuts, abilities=abilities, conducts=conducts, validity=validity
    )


def pilab() -> Rooms:
    from assay.suites.pilab import (
        analysis, audit, calibration, figures, reporting, scoring, settings, solvers, tasks,
        validation, viewer, world,
        validity
    )
    from assay.suites.pilab.validity import abilities, conducts, shortcuts
    return Rooms(
        analysis, audit, calibration, figures, reporting, scoring, settings, solvers, tasks,
        validation, viewer, world,
        shortcuts=shortcuts, abilities=abilities, conducts=conducts, validity=validity
    )


def collider() -> Rooms:
    from assay.suites.collider import (
        analysis, artefacts, audit, calibration, figures, opinion, reporting, scoring, settings,
        solvers, tasks, validation, viewer, world,
        validity
    )
    from assay.suites.collider.validity import abilities, conducts, shortcuts
    return Rooms(
        analysis, audit, calibration, figures, reporting, scoring, settings, solvers, tasks,
        validation, viewer, world, artefacts, opinion,
        shortcuts=shortcuts, abilities=abilities, conducts=conducts, validity=validity
    )


def sgi() -> Rooms:
    from assay.suites.sgi import (
        analysis, audit, calibration, figures, opinion, reporting, scoring, settings, solvers, tasks,
        validation, viewer, world,
        validity
    )
    from assay.suites.sgi.validity import abilities, conducts, shortcuts
    return Rooms(
        analysis, audit, calibration, figures, reporting, scoring, settings, solvers, tasks,
        validation, viewer, world,
        opinion=opinion, shortcuts=shortcuts, abilities=abilities, conducts=conducts, validity=validity
    )
