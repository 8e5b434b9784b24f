"""Episodes: let a solver play the tasks of a shard, or replay the recordings of a model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from assay.agents.solver import SolverAgent
from assay.build.job import Job
from assay.episode import Episode, episode_row, event_rows
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.protocol import Materials
from assay.stages.shared.inputs import materials_of, suite_of, tasks_of, write_blobs
from assay.tables.schemas.episodes import EPISODES, EVENTS
from assay.tables.writer import write_table


def run(job: Job) -> None:
    """Write the tables `episodes`, `events` and `blobs` of the job's tasks."""
    materials = materials_of(job)
    episodes = list(play_all(job, materials))
    write_table(map(episode_row, episodes), job.output("episodes"), EPISODES)
    write_table((row for e in episodes for row in event_rows(e)), job.output("events"), EVENTS)
    assert isinstance(materials.blobs, MemoryBlobs)
    write_blobs(materials.blobs, job.output("blobs"))


def play_all(job: Job, materials: Materials) -> Iterator[Episode]:
    """Yield the episodes of the job, task by task, and attempt by attempt within a task."""
    tasks, attempts = tasks_of(job), job.config["attempts"]
    suite, name = suite_of(job), job.config["agent"]
    recordings = {tuple(Path(path).parts[-2:]): Path(path) for path in job.config.get("recordings", {})}
    for done, task in enumerate(tasks.values()):
        for attempt in range(attempts):
            if "solver" in job.config:
                solver = suite.solver(job.config["solver"])
                episode = play(
                    suite, task, name, SolverAgent(solver, task, materials.blobs), attempt, materials
                )
                yield replace(episode, privileged=solver.privileged)
            elif path := recordings.get((task.task_set, f"{task.task_id}.{attempt}.jsonl")):
                from assay.sessions.replay import replay  # not needed by solvers

                yield replay(suite, task, path, materials)
        job.progress(done + 1, len(tasks))
