"""Difficulty of an L4 task: width of its true bracket, and how well one measurement locates the boundary."""

from __future__ import annotations

import math
from collections.abc import Iterator

from assay.protocol import Measure
from assay.suites.petri.boundary.tasks import past_level
from assay.suites.petri.boundary.transitions import TRANSITIONS
from assay.suites.petri.questions.answers import REPLICATES
from assay.task import Task

AROUND = 0.05
"""Distance from the boundary to both points between which the slope is taken, as a share of the span."""


def calibrate(task: Task, seeds: int) -> Iterator[Measure]:
    """Yield bracket width, distance from the control's boundary, slope, resolution and number of tries.

    The resolution is the standard error of a boundary that is derived from one measurement and the slope. The
    slope is in units of the metric per unit of the parameter; all other lengths are shares of the span.
    """
    transition = TRANSITIONS[task.public["world"]]
    width = task.public["span"][1] - task.public["span"][0]
    runs = task.public.get("runs", REPLICATES)
    low, high = task.hidden["bracket"]
    centre = (low + high) / 2
    step = AROUND * width
    ends = [past_level(transition, task.hidden["context"], centre + d, seeds) for d in (-step, 0.0, step)]
    slope = (ends[2][0] - ends[0][0]) / (2 * step)
    one_run = ends[1][1] * math.sqrt(seeds)
    yield Measure("bracket", (high - low) / width)
    if "at_control" in task.hidden:
        yield Measure("from_control", (centre - task.hidden["at_control"]) / width)
    yield Measure("slope", slope)
    yield Measure("resolution", one_run / math.sqrt(runs) / slope / width)
    yield Measure("tries", float(task.hidden["tries"]))
