"""An honest episode of petri, as the harness plays it: what the same calls must give behind every door."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.agents.solver import SolverAgent
from assay.config.loading import load
from assay.episode import Episode
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.sessions.taskfiles import find_task

ROOT = Path(__file__).parents[2]
HONEST_TASK = "core-v0/0"


@dataclass(frozen=True)
class Honest:
    """The episode and its metrics."""

    episode: Episode
    scores: dict[str, float | None]


def honest() -> Honest:
    """The solver `honest` at that task."""
    suite, blobs = load(ROOT / "config/config.yaml").suites["petri"], MemoryBlobs()
    task = find_task(suite, HONEST_TASK, blobs)
    materials = materials_for(suite.suite, blobs)
    agent = SolverAgent(suite.suite.find("solvers", "SOLVERS", "honest"), task)
    episode = play(suite.suite, task, "honest", agent, 0, materials)
    scores = suite.suite.room("scoring").score(task, episode, materials)
    return Honest(episode, {s.metric: s.value for s in scores})
