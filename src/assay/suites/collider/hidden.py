"""The hidden part of a task, as scoring and audit read it; no other room does."""

from __future__ import annotations

from assay.suites.collider.gate import Question
from assay.suites.collider.histogram import Binning
from assay.suites.collider.reference import Reference
from assay.task import Task


def reference_of(task: Task) -> Reference:
    """The reference of a task."""
    return Reference(
        binning=Binning.from_json(task.public["histogram"]),
        yields=tuple(task.hidden["yields"]),
        errors=tuple(task.hidden["errors"]),
        published=task.hidden["published_errors"],
        cross_section_error=task.hidden["cross_section_error"],
        mode=task.public["mode"],
    )


def question_of(task: Task) -> Question:
    """What the gate needs to know of a task."""
    return Question(
        file=task.public["file"],
        binning=Binning.from_json(task.public["histogram"]),
        point=task.public["point"],
        luminosity_fb=task.public["luminosity_fb"],
        reference=tuple(task.hidden["yields"]),
        shape=task.public["mode"] == "shape",
    )
