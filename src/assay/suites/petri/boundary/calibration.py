"""Difficulty of an L4 task: the sharpness of its truth, and how well one measurement locates the boundary."""

from __future__ import annotations

import math
from collections.abc import Iterator

from assay.protocol import Measure
from assay.suites.petri.boundary.tasks import past_level
from assay.suites.petri.boundary.transitions import TRANSITIONS
from assay.suites.petri.questions.answers import REPLICATES
from assay.task import Task

AROUND = 0.05
"""Share of the span on each side of the boundary over which the slope is taken."""


def calibrate(task: Task, seeds: int) -> Iterator[Measure]:
    """Bracket, slope of the metric there, and the resolution: all in shares of the span.

    The resolution is the standard error of a boundary read off one measurement, given the slope.
    """
    transition = TRANSITIONS[task.public["world"]]
    low, high = task.hidden["bracket"]
    centre = (low + high) / 2
    step = AROUND * transition.width
    ends = [past_level(transition, task.hidden["context"], centre + d, seeds) for d in (-step, 0.0, step)]
    slope = (ends[2][0] - ends[0][0]) / (2 * step)
    one_run = ends[1][1] * math.sqrt(seeds)
    yield Measure("bracket", (high - low) / transition.width)
    yield Measure("from_control", (centre - task.hidden["at_control"]) / transition.width)
    yield Measure("slope", slope)
    yield Measure("resolution", one_run / math.sqrt(REPLICATES) / slope / transition.width)
    yield Measure("tries", float(task.hidden["tries"]))
