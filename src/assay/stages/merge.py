"""Merging: join the shards of a table to one table, which does not depend on the boundaries of shards."""

from __future__ import annotations

from importlib import import_module

from assay.build.job import Job
from assay.tables.writer import merge


def run(job: Job) -> None:
    """Write a table with the rows of all parts, in order; it is empty if there are no parts."""
    module, name = job.config["schema"].split(":")
    merge(job.parts("parts"), job.output("table"), getattr(import_module(module), name))
