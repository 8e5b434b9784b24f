"""Episodes for tests: a task, scripted calls, solvers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from typing import Any

from assay.agents.solver import SolverAgent
from assay.episode import Episode
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Materials, Result
from assay.suite import suite
from assay.task import Task

SUITE = suite("causalab")


def materials() -> Materials:
    blobs = MemoryBlobs()
    return materials_for(SUITE, blobs)


@cache
def task(task_set: str, index: int) -> Task:
    room = SUITE.room("tasks")
    result = room.SETS[task_set]
    made: Task = room.generate(result, task_set, index, result.seed, MemoryBlobs())
    return made


def changed(base: Task, model: dict[str, Any] | None = None, **conditions: Any) -> Task:
    """A task under other conditions, or with another model."""
    from dataclasses import replace

    public = {**base.public, "conditions": {**base.public["conditions"], **conditions}}
    hidden = base.hidden if model is None else {"model": model}
    if model is not None:
        public["variables"] = [[name, name] for name in model["nodes"]]
    return replace(base, public=public, hidden=hidden)


def record(hypothesis: dict[str, Any] | None = None, **action: Any) -> str:
    nothing = {"edges": [], "freq_equation": "", "coefficients": {}}
    fields: dict[str, Any] = {
        "memory": "",
        "thought": "",
        "past_data": [],
        "hypothesis": hypothesis or nothing,
        "experiment": {},
    }
    return json.dumps({**fields, **action})


def scripted(of: Task, texts: Iterable[str]) -> tuple[Episode, list[Any], Brief]:
    """An agent that writes these records: the episode, what was said to each, and the brief."""
    replies: list[Any] = []
    briefs: list[Brief] = []

    class Script:
        def act(self, brief: Brief, call: Call, stream: Stream) -> None:
            briefs.append(brief)
            for text in texts:
                result: Result = call("record", {"text": text})
                replies.append(result.parts[0] if result.ok else result.error)

    episode = play(SUITE, of, "script", Script(), 0, materials())
    assert episode.status != "crashed", episode.reason
    return episode, replies, briefs[0]


def solved(of: Task, name: str) -> Episode:
    episode = play(SUITE, of, name, SolverAgent(SUITE.room("solvers").SOLVERS[name], of), 0, materials())
    assert episode.status != "crashed", episode.reason
    return episode


def scores(of: Task, episode: Episode) -> dict[str, float | None]:
    """The final scores by metric."""
    result = SUITE.room("scoring").score(of, episode, materials())
    return {score.metric: score.value for score in result if score.step is None}


def raised(of: Task, episode: Episode) -> set[str]:
    return {f.flag for f in SUITE.room("audit").audit(of, episode, materials()) if f.raised}
