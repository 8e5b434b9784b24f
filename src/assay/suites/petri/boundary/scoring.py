"""Points at tier L4 for the accuracy of the estimate, the stated interval, and the measurements.

========== ====== ===============================================================================
part       points for
========== ====== ===============================================================================
accuracy   50     an estimate within the bracket; falls to 0 at a distance of `REACH` of the span
interval   30     the interval score (Gneiting and Raftery 2007) of the stated interval: its length,
                  and 2 / (1 - confidence) times the distance by which it misses the bracket; falls
                  to 0 at `LAZY` of the span
rigor      20     measurements on both sides of the estimate, each clearly on its side of the level
========== ====== ===============================================================================

In a task that states its number of runs (`l4-v1`), 60 points are for accuracy, which falls to 0 at
`NARROW_REACH`, and 40 for the interval, which fall to 0 at `NARROW_LAZY`. Both are 0 unless measurements near
the estimate support it (`supported`), which earns no points of its own. So a guess earns nothing.

The interval score is proper: stating one's true belief gives the best expected score. Cut off at `LAZY` it
remains proper as long as misses stay below the cut-off. This holds for errors of up to 1.5 % of the span,
which eight measurements permit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from assay.episode import Episode
from assay.protocol import Score
from assay.task import Task

ACCURACY = 50.0
INTERVAL = 30.0
RIGOR = 20.0

NARROW_ACCURACY = 60.0
NARROW_INTERVAL = 40.0
NARROW_REACH = 0.05
NARROW_LAZY = 0.25

REACH = 0.1
LAZY = 0.5
SOLVED = 0.025
"""Largest distance from the bracket, as a share of the span, at which an estimate counts as right."""

NEAR = 0.3
"""Largest distance of a measurement that supports an estimate (`supported`), as a share of the span."""

CLEAR = 2.0
"""Smallest distance of a measured mean from the level, in standard errors, that shows its side clearly."""


def score(task: Task, episode: Episode) -> Iterator[Score]:
    """Yield all metrics of an L4 episode."""
    answer = episode.submission if isinstance(episode.submission, dict) else None
    width = task.public["span"][1] - task.public["span"][0]
    accuracy = rigor = 0.0
    interval = distance = covered = length = None
    if answer is not None:
        low, high = task.hidden["bracket"]
        distance = gap(answer["estimate"], answer["estimate"], low, high) / width
        length = (answer["high"] - answer["low"]) / width
        missed = gap(answer["low"], answer["high"], low, high) / width
        covered = float(answer["low"] <= (low + high) / 2 <= answer["high"])
        loss = length + 2 / (1 - task.public["confidence"]) * missed
        if "runs" not in task.public:
            accuracy = ACCURACY * max(0.0, 1 - distance / REACH)
            interval = INTERVAL * max(0.0, 1 - loss / LAZY)
            rigor = RIGOR if measured_on_both_sides(task.public, episode, answer["estimate"]) else 0.0
        elif supported(task.public, episode, answer["estimate"]):
            accuracy = NARROW_ACCURACY * max(0.0, 1 - distance / NARROW_REACH)
            interval = NARROW_INTERVAL * max(0.0, 1 - loss / NARROW_LAZY)
        else:
            interval = 0.0
    yield Score("score", accuracy + (interval or 0.0) + rigor)
    yield Score("solved", float(distance is not None and distance <= SOLVED))
    yield Score("correctness", accuracy)
    yield Score("rigor", rigor)
    yield Score("interval", interval)
    yield Score("distance", distance)
    yield Score("length", length)
    yield Score("covered", covered)
    yield Score("calls", float(len(episode.calls("measure"))))


def gap(low: float, high: float, other_low: float, other_high: float) -> float:
    """Return the distance between two intervals, which is 0 if they overlap or touch."""
    return max(0.0, other_low - high, low - other_high)


def measured_on_both_sides(public: Mapping[str, Any], episode: Episode, estimate: float) -> bool:
    """Tell whether means on both sides of the estimate lie `CLEAR` standard errors beyond the level."""
    sides = set()
    for event in episode.calls("measure"):
        statistics: Any = event.parts[0]
        value = event.arguments["value"]
        past = (public["level"] - statistics["mean"]) * (1 if public["falls"] else -1)
        if (
            abs(past) * math.sqrt(statistics["runs"]) > CLEAR * statistics["sd"]
            and (value - estimate) * past > 0
        ):
            sides.add(past > 0)
    return len(sides) == 2


def supported(public: Mapping[str, Any], episode: Episode, estimate: float) -> bool:
    """Tell whether the means on each side of the estimate together lie clearly on their side of the level.

    Means are weighted by their distance from the estimate, since those next to it show little. Only
    measurements within `NEAR` of the span from the estimate count, and the same value counts once. Their
    variance is the mean of that of all measurements of the episode, since that of a few runs is vague.
    """
    width = public["span"][1] - public["span"][0]
    shown: dict[float, Any] = {event.arguments["value"]: event.parts[0] for event in episode.calls("measure")}
    if not shown:
        return False
    variance = math.fsum(s["sd"] * s["sd"] / s["runs"] for s in shown.values()) / len(shown)
    for side in (-1, 1):
        near = [
            ((value - estimate) * side, (s["mean"] - public["level"]) * (-1 if public["falls"] else 1) * side)
            for value, s in shown.items()
            if 0 < (value - estimate) * side <= NEAR * width
        ]
        weight = math.fsum(distance * distance for distance, _ in near)
        past = math.fsum(distance * beyond for distance, beyond in near)
        if past <= CLEAR * math.sqrt(weight * variance):
            return False
    return True
