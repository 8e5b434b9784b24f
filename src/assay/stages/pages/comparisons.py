"""Comparisons: write the pages on which the agents of a suite are compared task by task."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from typing import Any

from assay.build import links
from assay.build.job import Job
from assay.report import page
from assay.report.pages import comparisons
from assay.report.pages.comparisons import Attempts, Played
from assay.stages.pages.viewer import TABLES, shown_of
from assay.stages.shared.inputs import suite_of
from assay.tables.reader import read_rows
from assay.tables.schemas.tasks import TASKS
from assay.task import Task


def run(job: Job) -> None:
    """Write for each set its matrix, the pages of its tasks, and pages of two episodes side by side."""
    suite = suite_of(job)
    everything = read_rows(job.input("tasks"), TASKS)
    rows = [row for row in everything if row["index"] < links.TASKS_SHOWN]
    sizes = Counter(row["task_set"] for row in everything)
    tasks = {(row["task_set"], row["task_id"]): Task.from_row(row) for row in everything}
    episodes = _episodes(job, tasks, {(row["task_set"], row["task_id"]) for row in rows})
    headline = next(metric for metric in suite.room("scoring").METRICS.values() if metric.headline)
    scale = (headline.low if headline.low is not None else 0.0, headline.high)
    for done, task_set in enumerate(job.config["sets"], 1):
        of_set = [
            (row["index"], tasks[task_set, row["task_id"]])
            for row in sorted(rows, key=lambda row: int(row["index"]))
            if row["task_set"] == task_set
        ]
        _write_set(job, task_set, of_set, episodes[task_set], scale, sizes[task_set])
        job.progress(done, len(job.config["sets"]))


def _episodes(
    job: Job, tasks: Mapping[tuple[str, str], Task], compared: Collection[tuple[str, str]]
) -> dict[str, dict[str, dict[str, list[Played]]]]:
    """Return the episodes of all agents at the compared tasks, by set, then by task, then by agent."""
    episodes: dict[str, dict[str, dict[str, list[Played]]]] = defaultdict(dict)
    parts = {table: {path.stem: path for path in job.parts(table)} for table in TABLES}
    for agent in job.config["agents"]:
        shown = shown_of(tasks, {}, *(parts[table].get(agent) for table in TABLES))
        for rank, each in enumerate(shown):
            if (each.task.task_set, each.task.task_id) not in compared:
                continue
            at_task = episodes[each.task.task_set].setdefault(each.task.task_id, {})
            attempts = at_task.setdefault(agent, [])
            attempts.append(comparisons.played(each, rank, with_calls=not attempts))
    return episodes


def _write_set(
    job: Job,
    task_set: str,
    tasks: list[tuple[int, Task]],
    by_task: Mapping[str, Attempts],
    scale: tuple[float, float | None],
    size: int,
) -> None:
    suite = job.config["suite"]
    common: dict[str, Any] = {"suites_shown": job.config["shown"], "suite": suite, "task_set": task_set}
    values = comparisons.matrix(suite, tasks, by_task, scale)
    name = links.matrix(suite, task_set)
    title = f"{suite} {task_set}: every agent at every task"
    _save(job, name, page.render("matrix.html", name, title=title, size=size, **common, **values))
    on_page: dict[str, list[Any]] = defaultdict(list)
    pairs: dict[str, list[Any]] = defaultdict(list)
    for index, task in tasks:
        attempts = by_task.get(task.task_id, {})
        notices = job.config["defects"].get(f"{task_set}/{task.task_id}", ())
        on_page[links.task(suite, task_set, index)].append(
            comparisons.task_page(suite, index, task, attempts, notices)
        )
        pairs[links.beside(suite, task_set, index)] += comparisons.side_by_side(suite, index, task, attempts)
    for name, shown in on_page.items():
        title = f"Tasks of {suite} {task_set}"
        text = page.render("tasks.html", name, title=title, tasks=shown, digits=values["digits"], **common)
        _save(job, name, text)
    for name, shown in pairs.items():
        title = f"Side by side: {suite} {task_set}"
        _save(job, name, page.render("beside.html", name, title=title, pairs=shown, **common))


def _save(job: Job, name: str, text: str) -> None:
    job.output(name).write_text(text, encoding="utf-8", errors="replace", newline="")
