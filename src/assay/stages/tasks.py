"""Tasks: generate those of a shard, verify each, and compare it with its frozen file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assay.blobs import MemoryBlobs
from assay.errors import TaskError, UnknownName
from assay.job import Job
from assay.protocol import TaskSet
from assay.schemas.tasks import TASKS
from assay.secret import set_seed
from assay.stages.shard import suite_of, write_blobs
from assay.suite import Suite
from assay.tables import write_table
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


def find_set(suite: Suite, name: str) -> TaskSet:
    """How a set is generated; a private one by the recipe of the set it is named after."""
    sets = suite.room("tasks").SETS
    if name in sets:
        found: TaskSet = sets[name]
        return found
    recipe, seed = set_seed(suite.name, name)
    if recipe not in sets:
        raise UnknownName(
            f"the suite {suite.name} has no task set {name!r}", f"its sets are {', '.join(sorted(sets))}"
        )
    private: TaskSet = replace(sets[recipe], seed=seed)
    return private


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
