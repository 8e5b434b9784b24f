"""Tasks: generate those of a shard, verify each, and compare it with its frozen file."""

from __future__ import annotations

from pathlib import Path

from assay.build.job import Job
from assay.config.sets import find_set
from assay.episodes.blobs import MemoryBlobs
from assay.errors import TaskError
from assay.stages.shard import suite_of, write_blobs
from assay.tables.schemas.tasks import TASKS
from assay.tables.writer import write_table
from assay.task import Task, file_name


def run(job: Job) -> None:
    """Write the tables `tasks` and `blobs` of the job's spans."""
    suite, spans = suite_of(job), job.config["spans"]
    frozen = {tuple(Path(path).parts[-2:]): Path(path) for path in job.config["frozen"]}
    room = suite.room("tasks")
    blobs = MemoryBlobs()
    rows, total = [], sum(last - first for _, first, last in spans)
    for set_name, first, last in spans:
        task_set = find_set(suite, set_name)
        for index in range(first, last):
            task = room.generate(task_set, set_name, index, task_set.seed, blobs)
            room.verify(task)
            if path := frozen.get((set_name, file_name(index))):
                compare(task, path)
            rows.append(task.to_row(index))
            job.progress(len(rows), total)
    write_table(rows, job.output("tasks"), TASKS)
    write_blobs(blobs, job.output("blobs"))


def compare(task: Task, path: Path) -> None:
    """`TaskError` where a frozen file is not, byte for byte, what its generator makes."""
    data = path.read_bytes()
    made, frozen = task.frozen_text(), data.decode(errors="replace")
    if made.encode() == data:
        return
    # Lines with their ends: an edit may have changed nothing else.
    pairs = list(zip(made.splitlines(True), frozen.splitlines(True), strict=False))
    line = next((n for n, (a, b) in enumerate(pairs) if a != b), len(pairs))
    raise TaskError(
        f"{path}, line {line + 1}: the frozen task is not what its generator makes "
        f"({_line(frozen, line)!r} in the file, {_line(made, line)!r} made)",
        "a frozen set is never edited, only succeeded: restore the file from git; if the generator was "
        "meant to change, give the new tasks a new set",
    )


def _line(text: str, number: int) -> str:
    lines = text.splitlines(True)
    return lines[number].strip(" \n")[:120] if number < len(lines) else "nothing"
