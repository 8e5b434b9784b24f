"""Frozen tasks, and episodes at them, for the tests of petri."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from assay.agents.solver import SolverAgent
from assay.artefacts import KeyedArtefacts
from assay.blobs import MemoryBlobs
from assay.episode import Episode
from assay.harness import play
from assay.protocol import Brief, Call, Flag, Materials
from assay.rng import Stream
from assay.suites.petri import SUITE, audit, scoring
from assay.suites.petri.solvers import SOLVERS
from assay.task import Task, file_name, read_frozen

SET = Path(__file__).parents[3] / "tasks" / "petri" / "swarm-v0"
INDICES = range(6)
BLOBS = MemoryBlobs()
MATERIALS = Materials(BLOBS, KeyedArtefacts(SUITE, (), BLOBS))


@cache
def task(index: int) -> Task:
    """A task of the frozen set swarm-v0."""
    return read_frozen(SET / file_name(index))


@cache
def episode(index: int, solver: str, attempt: int = 0) -> Episode:
    """A solver's episode at a frozen task."""
    return play(SUITE, task(index), solver, SolverAgent(SOLVERS[solver], task(index)), attempt, MATERIALS)


class Script:
    """An agent that makes these calls, and keeps what came back."""

    def __init__(self, *calls: tuple[str, Any]) -> None:
        self.calls = calls
        self.results: list[Any] = []

    def act(self, brief: Brief, call: Call, stream: Stream) -> None:
        for tool, arguments in self.calls:
            self.results.append(call(tool, arguments))


def scripted(played: Task, *calls: tuple[str, Any]) -> tuple[Episode, list[Any]]:
    """An episode of these calls, and their results."""
    script = Script(*calls)
    return play(SUITE, played, "script", script, 0, MATERIALS), script.results


def metrics(played: Task, found: Episode) -> Mapping[str, float | None]:
    """All metrics of an episode."""
    return {score.metric: score.value for score in scoring.score(played, found, MATERIALS)}


def flags(played: Task, found: Episode) -> Mapping[str, Flag]:
    """All flags of an episode."""
    return {flag.flag: flag for flag in audit.audit(played, found, MATERIALS)}


def raised(played: Task, found: Episode) -> set[str]:
    """The names of the raised flags."""
    return {name for name, flag in flags(played, found).items() if flag.raised}
