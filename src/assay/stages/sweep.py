"""Sweeps: play the tasks of a shard, and score and audit each episode without keeping its events.

This is for solvers whose log is kept as a digest only. A solver's events can be reproduced at any time, so a
sweep over many tasks stores only one row for each episode. The price is that a change of a scoring rule makes
the solver play again.
"""

from __future__ import annotations

from assay.build.job import Job
from assay.episode import episode_row
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
    suite, materials = suite_of(job), materials_of(job)
    tasks = tasks_of(job)
    episodes, scores, flags = [], [], []
    for episode in play_all(job, materials):
        task = tasks[episode.task_set, episode.task_id]
        scores += score_rows(suite, task, episode, materials)
        flags += flag_rows(suite, task, episode, materials)
        episodes.append(episode_row(episode))
    write_table(episodes, job.output("episodes"), EPISODES)
    write_table(scores, job.output("scores"), SCORES)
    write_table(flags, job.output("audit"), AUDIT)
