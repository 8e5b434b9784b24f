"""Downloads: tables of a suite, as they are and as CSV, for readers of the report."""

from __future__ import annotations

import shutil

from assay.build.job import Job
from assay.build.links import table_data
from assay.report.exports.csv import write_csv


def run(job: Job) -> None:
    """Copy each table and write it as CSV."""
    for path in (*job.parts("tables"), *job.parts("own")):
        parquet, csv = (job.output(name) for name in table_data(job.config["suite"], path.stem))
        shutil.copyfile(path, parquet)
        write_csv(path, csv)
