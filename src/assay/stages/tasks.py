"""Tasks: generate the tasks of a shard and compare them with their frozen files, or read archived tasks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.build.job import Job
from assay.config.archive import Archive
from assay.config.sets import find_recipe, find_set
from assay.episodes.blobs import MemoryBlobs
from assay.errors import TaskError
from assay.stages.shared.inputs import suite_of, write_blobs
from assay.suite import Suite
from assay.tables.schemas.tasks import TASKS
from assay.tables.writer import write_table
from assay.task import Task, file_name


def run(job: Job) -> None:
    """Write the tables `tasks` and `blobs` of the job's spans."""
    suite, spans = suite_of(job), job.config["spans"]
    # All files of a set are in one folder; a set without frozen files has no folder.
    folders = {
        path.parent.name: path.parent for path in map(Path, job.config["frozen"]) if path.suffix == ".json"
    }
    blobs = MemoryBlobs()
    rows, total = [], sum(last - first for _, first, last in spans)
    for set_name, first, last in spans:
        tasks = tasks_of_set(suite, set_name, folders.get(set_name), first, last, blobs)
        for index, task in enumerate(tasks, first):
            rows.append(task.to_row(index))
            job.progress(len(rows), total)
    write_table(rows, job.output("tasks"), TASKS)
    write_blobs(blobs, job.output("blobs"))


def tasks_of_set(
    suite: Suite, set_name: str, folder: Path | None, first: int, last: int, blobs: MemoryBlobs
) -> Iterator[Task]:
    """Yield the tasks of a set from `first` up to, but not including, `last`, each verified.

    Args:
        suite: The suite of the set.
        set_name: The name of the set.
        folder: The folder of a frozen or archived set; `None` for a set without files.
        first: The index of the first task.
        last: The index after the last task.
        blobs: The store into which the contents of the tasks are put.

    Raises:
        TaskError: If a frozen file differs from what its generator makes, an archived file is missing or
            damaged, or the suite refuses a task.
        ConfigError: If the set is archived and `folder` is `None`.
    """
    room = suite.room("tasks")
    if folder is not None and find_set(suite, set_name).archived:
        yield from Archive(folder, suite.name).check(room, blobs, first, last)
        return
    task_set = find_recipe(suite, set_name)
    for index in range(first, last):
        task = room.generate(task_set, set_name, index, task_set.seed, blobs)
        room.verify(task)
        if folder is not None:
            compare(task, folder / file_name(index))
        yield task


def compare(task: Task, path: Path) -> None:
    """Compare a generated task with its frozen file, byte for byte.

    Raises:
        TaskError: If they differ; the message names the first line that does.
    """
    data = path.read_bytes()
    made, frozen = task.frozen_text(), data.decode(errors="replace")
    if made.encode() == data:
        return
    # Line ends are kept, because an edit may have changed only these.
    pairs = list(zip(made.splitlines(True), frozen.splitlines(True), strict=False))
    line = next((n for n, (a, b) in enumerate(pairs) if a != b), len(pairs))
    raise TaskError(
        f"{path}, line {line + 1}: the frozen task is not what its generator makes "
        f"({_line(frozen, line)!r} in the file, {_line(made, line)!r} made)",
        "a frozen set is never edited, only succeeded: restore the file from git; if the generator was "
        "meant to change, archive the set first (docs/recipes/archived-set.md)",
    )


def _line(text: str, number: int) -> str:
    lines = text.splitlines(True)
    return lines[number].strip(" \n")[:120] if number < len(lines) else "nothing"
