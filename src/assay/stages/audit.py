"""Audit: determine the integrity flags of each episode of a shard. Flags do not change the score."""

from __future__ import annotations

from typing import Any

from assay import canonical
from assay.build.job import Job
from assay.episode import Episode
from assay.protocol import NEVER_SCORED, Materials
from assay.stages.shared.inputs import episodes_of, materials_of, suite_of, tasks_of
from assay.suite import Suite
from assay.tables.schemas.audit import AUDIT
from assay.tables.writer import write_table
from assay.task import Task


def run(job: Job) -> None:
    """Write the table `audit` of the job's episodes."""
    suite, materials = suite_of(job), materials_of(job)
    tasks = tasks_of(job)
    rows = (
        row
        for episode in episodes_of(job)
        for row in flag_rows(suite, tasks[episode.task_set, episode.task_id], episode, materials)
    )
    write_table(rows, job.output("audit"), AUDIT)


def flag_rows(suite: Suite, task: Task, episode: Episode, materials: Materials) -> list[dict[str, Any]]:
    """Return the rows of one episode in the table `audit`.

    There are none if the episode's status says nothing about the agent (`NEVER_SCORED`).

    Raises:
        KeyError: If the suite raises a flag that it does not declare.
    """
    if episode.status in NEVER_SCORED:
        return []
    room = suite.room("audit")
    flags = sorted(room.audit(task, episode, materials), key=lambda flag: flag.flag)
    unknown = {flag.flag for flag in flags} - set(room.FLAGS)
    if unknown:
        raise KeyError(f"FLAGS of the suite {suite.name} does not declare {', '.join(sorted(unknown))}")
    return [
        {
            "suite": episode.suite,
            "task_set": episode.task_set,
            "task_id": episode.task_id,
            "agent": episode.agent,
            "attempt": episode.attempt,
            "flag": flag.flag,
            "raised": flag.raised,
            "label": flag.label,
            "evidence": canonical.dumps(flag.evidence),
        }
        for flag in flags
    ]
