"""Frozen tasks, and episodes at them, for the tests of petri."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from assay.agents.solver import SolverAgent
from assay.episode import Episode, episode_row, event_rows
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Flag
from assay.stages.audit import flag_rows
from assay.stages.scores import score_rows
from assay.suites.petri import SUITE, audit, scoring
from assay.suites.petri.solvers import SOLVERS
from assay.tables.schemas.conducts import CONDUCTS
from assay.task import Task, file_name, read_frozen

ROOT = Path(__file__).parents[3]
SET = ROOT / "tasks" / "petri" / "swarm-v0"
INDICES = range(6)
BLOBS = MemoryBlobs()
MATERIALS = materials_for(SUITE, BLOBS)


@cache
def frozen(task_set: str, index: int) -> Task:
    """A task of a frozen set."""
    return read_frozen(SET.parent / task_set / file_name(index))


@cache
def episode_at(task_set: str, index: int, solver: str, attempt: int = 0) -> Episode:
    """A solver's episode at a frozen task."""
    at = frozen(task_set, index)
    played = play(SUITE, at, solver, SolverAgent(SOLVERS[solver], at), attempt, MATERIALS)
    return replace(played, privileged=SOLVERS[solver].privileged)


def task(index: int) -> Task:
    """A task of the frozen set swarm-v0."""
    return frozen("swarm-v0", index)


def episode(index: int, solver: str, attempt: int = 0) -> Episode:
    """A solver's episode at a task of swarm-v0."""
    return episode_at("swarm-v0", index, solver, attempt)


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


def metrics(played: Task, episode: Episode) -> Mapping[str, float | None]:
    """All metrics of an episode."""
    return {score.metric: score.value for score in scoring.score(played, episode, MATERIALS)}


def flags(played: Task, episode: Episode) -> Mapping[str, Flag]:
    """All flags of an episode."""
    return {flag.flag: flag for flag in audit.audit(played, episode, MATERIALS)}


def raised(played: Task, episode: Episode) -> set[str]:
    """The names of the raised flags."""
    return {name for name, flag in flags(played, episode).items() if flag.raised}


def tables(attempts: Mapping[str, int]) -> dict[str, Any]:
    """The common tables of what these agents play at swarm-v0, by their number of attempts."""
    played = [
        (task(i), episode(i, name, attempt))
        for name, number in attempts.items()
        for i in INDICES
        for attempt in range(number)
    ]
    frames = {
        "tasks": [task(i).to_row(i) for i in INDICES],
        "episodes": [episode_row(e) for _, e in played],
        "events": [row for _, e in played for row in event_rows(e)],
        "scores": [row for t, e in played for row in score_rows(SUITE, t, e, MATERIALS)],
        "audit": [row for t, e in played for row in flag_rows(SUITE, t, e, MATERIALS)],
        "calibration": [
            {
                "task_set": task(i).task_set,
                "task_id": task(i).task_id,
                "measure": "oracle_power",
                "value": task(i).hidden["power"],
            }
            for i in INDICES
        ],
    }
    published = (ROOT / "config" / "published" / "petri.yaml").read_text(encoding="utf-8")
    return {name: pd.DataFrame(rows) for name, rows in frames.items()} | {
        "conducts": pd.DataFrame(columns=list(CONDUCTS.names)),
        "fresh": [],
        "published": [yaml.safe_load(published)],
    }
