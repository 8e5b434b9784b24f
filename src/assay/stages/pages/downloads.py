"""Downloads: copies of a suite's tables for readers of the report, as Parquet, CSV and Markdown."""

from __future__ import annotations

from assay.build.job import Job
from assay.build.links import table_data
from assay.report.exports.texts import copy_table


def run(job: Job) -> None:
    """Copy each table to the site, in every format."""
    for path in (*job.parts("tables"), *job.parts("own")):
        copy_table(
            path,
            {form: job.output(name) for form, name in table_data(job.config["suite"], path.stem).items()},
        )
