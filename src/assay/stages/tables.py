"""Tables: one of a suite's own, made from the common ones."""

from __future__ import annotations

from assay.job import Job
from assay.stages.collection import Collection
from assay.stages.shard import suite_of
from assay.tables import write_table


def run(job: Job) -> None:
    """Write the suite's table of the job's name."""
    spec = suite_of(job).find("analysis", "TABLES", job.config["table"])
    write_table(spec.make(Collection(job)), job.output("table"), spec.schema)
