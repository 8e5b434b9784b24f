"""Artefacts: compute one artefact, a result that is expensive and that several jobs share."""

from __future__ import annotations

from assay.build.job import Job
from assay.protocol import Key
from assay.stages.shared.inputs import materials_of, suite_of


def run(job: Job) -> None:
    """Write the artefact with the key in the job's configuration."""
    config = job.config
    key = Key(config["suite"], config["kind"], config["params"], config["shard"])
    suite_of(job).room("artefacts").make(key, materials_of(job), job.output("artefact"))
