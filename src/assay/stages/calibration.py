"""Calibration: measure how hard each task of a shard is."""

from __future__ import annotations

from assay.build.job import Job
from assay.stages.shared.inputs import materials_of, suite_of, tasks_of
from assay.tables.schemas.calibration import CALIBRATION
from assay.tables.writer import write_table


def run(job: Job) -> None:
    """Write the table `calibration` of the job's tasks."""
    room, materials, rows = suite_of(job).room("calibration"), materials_of(job), []
    tasks = tasks_of(job)
    for done, task in enumerate(tasks.values()):
        measures = room.calibrate(task, job.config["settings"], materials)
        rows += [
            {
                "suite": task.suite,
                "task_set": task.task_set,
                "task_id": task.task_id,
                "measure": measure.measure,
                "value": measure.value,
                "label": measure.label,
            }
            for measure in sorted(measures, key=lambda measure: measure.measure)
        ]
        job.progress(done + 1, len(tasks))
    write_table(rows, job.output("calibration"), CALIBRATION)
