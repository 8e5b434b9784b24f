"""The hidden part of a task, in the forms that scoring, audit and calibration need."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from assay.errors import UnknownName
from assay.suites.collider.formats.histogram import Binning
from assay.suites.collider.problems import catalogue
from assay.suites.collider.problems.orders import HIDDEN, Wanted, wanted_of
from assay.suites.collider.problems.reference import Reference
from assay.suites.collider.provenance.case import Question
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
    """Return the relative error of the cross section of a task's point; None if it is not known.

    A frozen task has the error that was known when it was frozen, or 0 if none was; the stored cross sections
    may have one since. For a mock task and a hidden point, 0 is exact: the former has a closed form, and the
    reference of the latter uses the same rate as every submission.
    """
    error: float = hidden["cross_section_error"]
    if error or hidden["exact"] or HIDDEN in public["id"]:
        return error
    return catalogue.rate_error(public["point"])


def question_of(task: Task) -> Question:
    """Return what the provenance examination needs to know about a task."""
    return Question(
        file=task.public["file"],
        binning=Binning.from_json(task.public["histogram"]),
        point=task.public["point"],
        luminosity_fb=task.public["luminosity_fb"],
        reference=tuple(task.hidden["yields"]),
        shape=task.public["mode"] == "shape",
        template=task.public["template"],
        windows=windows_of(task.public),
        filter_name=wanted.filter_name if (wanted := _wanted(task.public)) else "",
    )


def windows_of(facts: Mapping[str, Any]) -> tuple[tuple[str, float, float], ...] | None:
    """Return the region of a task as variable, lower and upper bound; None if the chain does not have it."""
    from assay.suites.collider.chain.searches import regions  # imports numpy

    if "least_ht" in facts:
        return (("ht", facts["least_ht"], math.inf),)
    wanted = _wanted(facts)
    if wanted is None:
        return None
    cuts = regions.selection(wanted.paper).regions[wanted.region].cuts
    return tuple((cut.variable, cut.low, cut.high) for cut in cuts)


def _wanted(facts: Mapping[str, Any]) -> Wanted | None:
    """Return the region and the sample of a task; None if the chain does not have them."""
    try:
        return wanted_of(facts)
    except UnknownName:
        return None
