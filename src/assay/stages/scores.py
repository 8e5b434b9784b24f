"""Scores: compute the metrics of each episode of a shard."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from assay.build.job import Job
from assay.episode import Episode
from assay.protocol import NEVER_SCORED, Materials, Score
from assay.stages.shared.inputs import episodes_of, materials_of, suite_of, tasks_of
from assay.suite import Suite
from assay.tables.schemas.scores import SCORES
from assay.tables.writer import write_table
from assay.task import Task


def run(job: Job) -> None:
    """Write the table `scores` of the job's episodes."""
    suite, materials = suite_of(job), materials_of(job)
    tasks = tasks_of(job)
    rows = (
        row
        for episode in episodes_of(job)
        for row in score_rows(suite, tasks[episode.task_set, episode.task_id], episode, materials)
    )
    write_table(rows, job.output("scores"), SCORES)


def score_rows(suite: Suite, task: Task, episode: Episode, materials: Materials) -> list[dict[str, Any]]:
    """Return the rows of one episode in the table `scores`.

    The rows have no values if the episode's status says nothing about the agent's ability (`NEVER_SCORED`).

    Raises:
        KeyError: If the suite scores a metric that it does not declare.
    """
    room = suite.room("scoring")
    scores: Iterable[Score]
    if episode.status in NEVER_SCORED:
        scores = [Score(metric, None, label=episode.status) for metric in room.METRICS]
    else:
        scores = list(room.score(task, episode, materials))
    unknown = {s.metric for s in scores} - set(room.METRICS)
    if unknown:
        raise KeyError(f"METRICS of the suite {suite.name} does not declare {', '.join(sorted(unknown))}")
    # The order of the table: the final value, whose step is `None`, comes before the values of steps.
    order = sorted(scores, key=lambda s: (s.profile, s.metric, s.step is not None, s.step or 0))
    return [
        {
            "suite": episode.suite,
            "task_set": episode.task_set,
            "task_id": episode.task_id,
            "agent": episode.agent,
            "attempt": episode.attempt,
            "profile": s.profile,
            "metric": s.metric,
            "step": s.step,
            "value": s.value,
            "label": s.label,
        }
        for s in order
    ]
