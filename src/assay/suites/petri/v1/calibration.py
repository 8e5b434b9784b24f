"""Difficulty of a task of the sets v1, from the stored curves; no simulation is run."""

from __future__ import annotations

from collections.abc import Iterator

from assay.protocol import Measure
from assay.suites.petri.v1.stored.store import store
from assay.suites.petri.v1.stored.teams import able
from assay.task import Task

INTERVAL = 0.08
"""Half width of the interval of a stored power: two standard errors (measured by `assay petri accept`)."""


def calibrate(task: Task) -> Iterator[Measure]:
    """Yield the power of one comparison of the control with the hidden world, its interval, and the effect.

    At L3 the power is the smaller one of the two changes alone, and the effect is that of both.
    """
    hidden, world = task.hidden, task.public["world"]
    power = hidden["power"]
    yield Measure("oracle_power", power)
    yield Measure("oracle_power_low", max(0.0, power - INTERVAL))
    yield Measure("oracle_power_high", min(1.0, power + INTERVAL))
    yield Measure("band", label=hidden["band"])
    yield Measure("relative_change", -hidden["size"] if hidden["direction"] == "down" else hidden["size"])
    if task.public["tier"] != "L3":
        curve = able(world, hidden["direction"], hidden["size"])[hidden["drivers"][0]["parameter"]]
        yield Measure("sd_ratio", curve.sd_at(hidden["size"]) / store(world).sd)
