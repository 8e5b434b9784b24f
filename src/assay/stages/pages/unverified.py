"""Unverified: a placeholder for the page of the verdict, until `assay verify` overwrites it."""

from __future__ import annotations

from pathlib import Path

from assay.build.job import Job
from assay.report import verdict_page


def run(job: Job) -> None:
    """Write a page that says that this build was not compared with the frozen manifest."""
    html = verdict_page.render(Path(), job.config["suites"], None)
    job.output("page").write_text(html, encoding="utf-8")
