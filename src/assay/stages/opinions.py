"""Opinions: replay the recorded replies of a judge.

Each reply is checked against the question that the present code asks.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.agents.transport import Request
from assay.build.job import Job
from assay.protocol import NEVER_SCORED, Materials
from assay.sessions.opinion import Case, opinion_row, request
from assay.stages.shared.inputs import episodes_of, materials_of, suite_of, tasks_of
from assay.tables.schemas.opinions import OPINIONS
from assay.tables.writer import write_table


def run(job: Job) -> None:
    """Write the table `opinions` of the job's judge."""
    room = suite_of(job).room("opinion")
    recordings = {str(path): path for path in map(Path, job.config["recordings"])}
    rows = []
    for case, asked in questions(job, materials_of(job)):
        path = recordings.get(str(case.path(Path(job.config["folder"]))))
        data = None if path is None else path.read_bytes()
        rows.append(opinion_row(room, case, asked, job.config["model"], data))
    rows.sort(key=lambda row: tuple(row[name] for name in OPINIONS.key))
    write_table(rows, job.output("opinions"), OPINIONS)


def questions(job: Job, materials: Materials) -> Iterator[tuple[Case, Request]]:
    """Yield the questions to the job's judge, at most one for each episode.

    There is no question about an episode that is never scored, or for which the judge's role has none.

    Raises:
        UnknownName: If the suite has no such role.
    """
    suite, judge, role = suite_of(job), job.config["judge"], job.config["role"]
    suite.find("opinion", "ROLES", role)
    tasks = tasks_of(job)
    for episode in episodes_of(job):
        task = tasks.get((episode.task_set, episode.task_id))
        if task is None or episode.status in NEVER_SCORED:
            continue
        question = suite.room("opinion").question(role, task, episode, materials)
        if question is not None:
            case = Case(
                judge, role, suite.name, episode.task_set, episode.task_id, episode.agent, episode.attempt
            )
            yield case, request(question)
