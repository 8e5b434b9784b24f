"""Merging: the shards of a table as one table, which does not depend on the boundaries of shards."""

from __future__ import annotations

from importlib import import_module

from assay.build.job import Job
from assay.tables.writer import merge


def run(job: Job) -> None:
    """Write the rows of all parts, in order; an empty table where there are none."""
    module, name = job.config["schema"].split(":")
    merge(job.parts("parts"), job.output("table"), getattr(import_module(module), name))
