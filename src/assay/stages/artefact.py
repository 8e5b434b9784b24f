"""Artefacts: one piece of shared expensive work, by its key."""

from __future__ import annotations

from assay.build.job import Job
from assay.protocol import Key
from assay.stages.shared.inputs import materials_of, suite_of


def run(job: Job) -> None:
    """Make the artefact of the job's key."""
    config = job.config
    key = Key(config["suite"], config["kind"], config["params"], config["shard"])
    suite_of(job).room("artefacts").make(key, materials_of(job), job.output("artefact"))
