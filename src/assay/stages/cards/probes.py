"""Probes: the shortcuts and planted abilities of a suite, played, scored and audited in one job.

There are many of them and their episodes are cheap, so a job for each would cost more than the work.
"""

from __future__ import annotations

from assay.build.job import Job
from assay.stages.shared.inputs import materials_of
from assay.stages.sweep import swept, write


def run(job: Job) -> None:
    """Write the tables `episodes`, `scores` and `audit` of every probe, whole."""
    common = {name: value for name, value in job.config.items() if name != "probes"}
    for agent, entry in job.config["probes"].items():
        of_agent = Job({**common, **entry, "agent": agent}, job.inputs, job.outputs)
        write(job, swept(of_agent, materials_of(job)), f"{agent}/")
