"""Downloads: copies of a suite's tables for readers of the report, as Parquet and as CSV."""

from __future__ import annotations

import shutil

from assay.build.job import Job
from assay.build.links import table_data
from assay.report.exports.csv import write_csv


def run(job: Job) -> None:
    """Copy each table to the site, and write it as CSV as well."""
    for path in (*job.parts("tables"), *job.parts("own")):
        parquet, csv = (job.output(name) for name in table_data(job.config["suite"], path.stem))
        shutil.copyfile(path, parquet)
        write_csv(path, csv)
