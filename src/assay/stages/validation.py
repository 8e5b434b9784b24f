"""Validation: compare a suite's worlds with published results."""

from __future__ import annotations

from dataclasses import asdict

from assay.build.job import Job
from assay.stages.shared.inputs import materials_of, suite_of
from assay.tables.schemas.validation import VALIDATION
from assay.tables.writer import write_table


def run(job: Job) -> None:
    """Write the table `validation` of the job's checks."""
    suite, materials, rows = suite_of(job), materials_of(job), []
    checks = job.config["checks"]
    for done, name in enumerate(checks):
        results = suite.room("validation").check(name, job.config["settings"], materials)
        rows += [
            {"suite": suite.name, **asdict(row)} for row in sorted(results, key=lambda row: row.statistic)
        ]
        job.progress(done + 1, len(checks))
    write_table(rows, job.output("validation"), VALIDATION)
