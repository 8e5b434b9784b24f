"""Manifest: the hashes of the built files, and of each column of the built tables."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assay.build import paths as layout
from assay.build.job import Job
from assay.tables.reader import partition
from assay.verdict.manifest import EVERY_SUITE, Output, build_manifest, write_manifest


def run(job: Job) -> None:
    """Write the built manifest, which lists the files that the plan promises."""
    suites, added, frozen = (job.config.get(name, {}) for name in ("suites", "added", "of_frozen"))
    promised = [(suite, file) for suite in suites for file in layout.files(suite, suites[suite])]
    promised += [(EVERY_SUITE, file) for file in layout.common_files(suites) if suites]
    promised += [(suite, file) for suite in added for file in layout.frozen_files(suite, frozen[suite])]
    promised += [(EVERY_SUITE, file) for file in layout.frozen_common_files(frozen) if added]
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
    of_configuration = {
        name: job.config[name] for name in ("left_out", "frozen", "released") if name in job.config
    }
    write_manifest(job.output("built"), replace(manifest, **of_configuration, added=added))
