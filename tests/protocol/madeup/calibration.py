"""How hard an urn is: its size, what the scale leaves open, what chance would score."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from assay.numbers import rng
from assay.protocol import Materials, Measure
from assay.task import Task
from tests.protocol.madeup import artefacts


def calibrate(task: Task, settings: Mapping[str, Any], materials: Materials) -> Iterable[Measure]:
    """The measures of one task."""
    balls, red = task.public["balls"], task.hidden["colours"].count("r")
    weights = artefacts.read(materials.artefacts.get(artefacts.scale(balls)))
    stream = rng.stream(task.seed, "madeup", task.task_set, task.task_id, "calibration")
    guesses = [stream.below(balls + 1) for _ in range(settings["guesses"])]
    chance = math.fsum(1 - abs(guess - red) / balls for guess in guesses) / len(guesses)
    yield Measure("balls", float(balls))
    yield Measure("ambiguity", float(weights.count(weights[red])))
    yield Measure("chance", chance)
    yield Measure("band", label="hard" if chance < 0.6 else "easy")
