"""Tables: compute one of a suite's own tables from the common tables."""

from __future__ import annotations

from assay.build.job import Job
from assay.stages.shared.added import write_beside_frozen
from assay.stages.shared.collection import Collection
from assay.stages.shared.inputs import suite_of


def run(job: Job) -> None:
    """Write the suite's table that the job's configuration names."""
    spec = suite_of(job).find("analysis", "TABLES", job.config["table"])
    write_beside_frozen(job, spec.make(Collection(job)), spec.schema)
