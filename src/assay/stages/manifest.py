"""Manifest: what was built, hashed by file and by column."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assay import layout
from assay.job import Job
from assay.manifest import EVERY_SUITE, Output, build_manifest, write_manifest
from assay.tables import partition


def run(job: Job) -> None:
    """Write the built manifest of the files that the plan promises."""
    suites = job.config["suites"]
    promised = [(suite, file) for suite in suites for file in layout.files(suite, suites[suite])]
    promised += [(EVERY_SUITE, file) for file in layout.common_files(suites) if suites]
    outputs = [
        Output(
            path=file.path,
            kind=file.kind,
            suite=suite,
            rule=file.rule,
            agents=file.agents,
            partition=partition(file.path) if file.kind == "table" else None,
        )
        for suite, file in promised
    ]
    manifest = build_manifest(Path(), outputs, suites)
    of_configuration = {name: job.config[name] for name in ("left_out", "frozen")}
    write_manifest(job.output("built"), replace(manifest, **of_configuration))
