"""Sweeps: play the tasks of a shard, and score and audit each episode without keeping its events.

This is for solvers whose log is kept as a digest only. A solver's events can be reproduced at any time, so a
sweep over many tasks stores only one row for each episode. The price is that a change of a scoring rule makes
the solver play again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from assay.build.job import Job
from assay.episode import episode_row
from assay.protocol import Materials
from assay.stages.audit import flag_rows
from assay.stages.episodes import play_all
from assay.stages.scores import score_rows
from assay.stages.shared.inputs import materials_of, suite_of, tasks_of
from assay.tables.schemas.audit import AUDIT
from assay.tables.schemas.episodes import EPISODES
from assay.tables.schemas.scores import SCORES
from assay.tables.writer import write_table


def run(job: Job) -> None:
    """Write the tables `episodes`, `scores` and `audit` of the job's tasks."""
    write(job, swept(job, materials_of(job)))


@dataclass
class Swept:
    """Rows of the three tables."""

    episodes: list[dict[str, Any]] = field(default_factory=list)
    scores: list[dict[str, Any]] = field(default_factory=list)
    flags: list[dict[str, Any]] = field(default_factory=list)


def swept(job: Job, materials: Materials) -> Swept:
    """Play, score and audit the job's tasks."""
    suite, tasks, rows = suite_of(job), tasks_of(job), Swept()
    for episode in play_all(job, materials):
        task = tasks[episode.task_set, episode.task_id]
        rows.scores += score_rows(suite, task, episode, materials)
        rows.flags += flag_rows(suite, task, episode, materials)
        rows.episodes.append(episode_row(episode))
    return rows


def write(job: Job, rows: Swept, prefix: str = "") -> None:
    """Write the rows; the outputs have the names of the tables behind the prefix."""
    write_table(rows.episodes, job.output(f"{prefix}episodes"), EPISODES)
    write_table(rows.scores, job.output(f"{prefix}scores"), SCORES)
    write_table(rows.flags, job.output(f"{prefix}audit"), AUDIT)
