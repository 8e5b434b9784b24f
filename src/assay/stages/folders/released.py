"""Tasks of sets that are read from files of the user: read them, instead of generating or comparing them."""

from __future__ import annotations

from pathlib import Path

from assay.build.job import Job
from assay.config.released import ReleasedSet
from assay.episodes.blobs import MemoryBlobs
from assay.stages.shared.inputs import suite_of, write_blobs
from assay.tables.schemas.tasks import TASKS
from assay.tables.writer import write_table


def run(job: Job) -> None:
    """Write the tables `tasks` and `blobs` of the job's spans, given the folder of each set."""
    suite, rows, shown = suite_of(job), [], MemoryBlobs()
    for set_name, first, last in job.config["spans"]:
        blobs = MemoryBlobs()
        tasks = ReleasedSet(suite, set_name, Path(job.config["folders"][set_name])).tasks(blobs)
        for index, task in enumerate(tasks[first:last], first):
            rows.append(task.to_row(index))
            for ref in task.blobs:
                shown.put(blobs.get(ref.sha256), ref.media_type)
    write_table(rows, job.output("tasks"), TASKS)
    write_blobs(shown, job.output("blobs"))
