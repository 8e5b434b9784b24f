"""Difficulty of a task: its expected events, its bins, and the d that its uncertainties alone give."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from assay.protocol import Materials, Measure
from assay.suites.collider.measures import metrics, uncertainty
from assay.suites.collider.problems.hidden import reference_of
from assay.task import Task


def calibrate(task: Task, settings: Mapping[str, Any], materials: Materials) -> Iterable[Measure]:
    """Yield the difficulty of a task: its expected events, its bins, and the d that its errors alone give.

    Args:
        task: the task with its hidden part.
        settings: the section `calibration` of the suite's settings.
        materials: the contents of files; not used.
    """
    reference = reference_of(task)
    r = reference.yields
    total = math.fsum(r)
    errors = uncertainty.Errors(reference.errors)
    shape = [total / len(r)] * len(r)
    yield Measure("expected_events", total)
    yield Measure("bins", float(len(r)))
    yield Measure("floor_reference", uncertainty.floor(r, errors))
    yield Measure("floor_rate", reference.cross_section_error if task.public["mode"] != "shape" else 0.0)
    yield Measure("d_of_the_right_total", metrics.distance(shape, r))
    yield Measure("difficulty", label=task.public["difficulty"])
    yield Measure("reference", label="suspect" if task.hidden["suspect"] else "as published")
