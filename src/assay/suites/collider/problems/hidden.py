"""The hidden part of a task, as scoring and audit read it; no other room does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.suites.collider.formats.histogram import Binning
from assay.suites.collider.problems import catalogue
from assay.suites.collider.problems.orders import HIDDEN
from assay.suites.collider.problems.reference import Reference
from assay.suites.collider.provenance.examination import Question
from assay.task import Task


def reference_of(task: Task) -> Reference:
    return Reference(
        binning=Binning.from_json(task.public["histogram"]),
        yields=tuple(task.hidden["yields"]),
        errors=tuple(task.hidden["errors"]),
        published=task.hidden["published_errors"],
        cross_section_error=rate_error(task.public, task.hidden),
        mode=task.public["mode"],
    )


def rate_error(public: Mapping[str, Any], hidden: Mapping[str, Any]) -> float | None:
    """The relative error of the cross section of a task's point; None where it is not known.

    A frozen task keeps what was known when it was frozen, with 0 where that was nothing; the kept tables may
    know more by now. The 0 of a mock task and of a hidden point is a known one: the former has a closed form,
    and the reference of the latter has the rate that every submission takes.
    """
    error: float = hidden["cross_section_error"]
    if error or hidden["exact"] or HIDDEN in public["id"]:
        return error
    return catalogue.rate_error(public["point"])


def question_of(task: Task) -> Question:
    """Return what the provenance verdict needs to know of a task."""
    return Question(
        file=task.public["file"],
        binning=Binning.from_json(task.public["histogram"]),
        point=task.public["point"],
        luminosity_fb=task.public["luminosity_fb"],
        reference=tuple(task.hidden["yields"]),
        shape=task.public["mode"] == "shape",
    )
