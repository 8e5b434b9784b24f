"""Read the inputs of a job: its suite, its tasks and their contents, and its episodes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from assay.build.job import Job
from assay.episode import Episode, from_rows
from assay.episodes.artefacts import KeyedArtefacts
from assay.episodes.blobs import MemoryBlobs
from assay.protocol import BlobRef, Materials
from assay.suite import Suite, suite
from assay.tables.reader import read_rows
from assay.tables.schemas.episodes import BLOBS, EPISODES, EVENTS
from assay.tables.schemas.tasks import TASKS
from assay.tables.writer import write_table
from assay.task import Task

LARGEST_BLOB = 16 * 2**20
"""Contents of more bytes than this have a row without data; they are artefacts, found by their key."""


def suite_of(job: Job) -> Suite:
    """Return the suite of the job."""
    return suite(job.config["suite"], job.config["package"])


def tasks_of(job: Job) -> dict[tuple[str, str], Task]:
    """Return the tasks of the job's spans by set and id, in the order of the input tables."""
    spans = {task_set: (first, last) for task_set, first, last in job.config["spans"]}
    tasks = {}
    for path in job.parts("tasks"):
        for row in read_rows(path, TASKS):
            first, last = spans.get(row["task_set"], (0, 0))
            if first <= row["index"] < last:
                tasks[row["task_set"], row["task_id"]] = Task.from_row(row)
    return tasks


def materials_of(job: Job) -> Materials:
    """Return the contents in the job's input tables `blobs`, by sha256, and the job's artefacts."""
    kept: dict[str, Path] = {}

    def find(sha256: str) -> bytes | None:
        if not kept:
            for path in job.inputs.get("blobs", ()):
                kept.update(dict.fromkeys((row["sha256"] for row in read_rows(path, BLOBS)), path))
        if sha256 not in kept:
            return None
        data: bytes | None = read_rows(kept[sha256], BLOBS, where={"sha256": sha256})[0]["data"]
        return data

    blobs = MemoryBlobs(find)
    return Materials(blobs, KeyedArtefacts(suite_of(job), job.inputs.get("artefacts", ()), blobs))


def episodes_of(job: Job) -> Iterator[Episode]:
    """Yield the episodes of the job's input tables with all their events, in the order of the tables."""

    def key(row: dict[str, Any]) -> tuple[Any, ...]:
        return (row["task_set"], row["task_id"], row["agent"], row["attempt"])

    for episodes, events in zip(job.parts("episodes"), job.parts("events"), strict=True):
        by_episode = {k: list(rows) for k, rows in groupby(read_rows(events, EVENTS), key)}
        for row in read_rows(episodes, EPISODES):
            yield from_rows(row, by_episode.get(key(row), []))


def write_blobs(blobs: MemoryBlobs, path: Path) -> None:
    """Write the contents that a job has stored as a table, one row for each content."""

    def row(ref: BlobRef, data: bytes) -> dict[str, Any]:
        return {
            "sha256": ref.sha256,
            "media_type": ref.media_type,
            "size": ref.size,
            "data": data if ref.size <= LARGEST_BLOB else None,
        }

    write_table((row(ref, data) for ref, data in blobs.items()), path, BLOBS)
