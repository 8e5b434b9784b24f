"""The tables of the worlds: on the oracle's seeds curated values show the effects, or the lack of one."""

from __future__ import annotations

import pytest

from assay.suites.petri.oracle import SAMPLE, detected
from assay.suites.petri.worlds import MORPH, ORIGIN, World

WORLDS = (ORIGIN, MORPH)
QUICK = {("morph", "n_spots", "-"), ("morph", "spot_size", 4)}
"""What of the slow world is tested every time."""

INERT = 0.08
SEEN = {
    ("morph", "du", "+"): 0.3,
    "else": 0.8,
}
"""Least power of a curated test value; the one exception is a weak driver."""


def cases(world: World, of_parameter: str) -> list[object]:
    """Every side with a test value, or every decoy value."""
    found = []
    for p in world.parameters:
        for case in getattr(p, of_parameter):
            slow = world is MORPH and (world.name, p.name, case) not in QUICK
            found.append(
                pytest.param(
                    world,
                    p.name,
                    case,
                    marks=[pytest.mark.full] if slow else [],
                    id=f"{world.name}-{p.name}{case}",
                )
            )
    return found


def power(world: World, parameter: str, value: float) -> float:
    metric = world.targets["L1"]
    return float(detected(world.name, metric, world.resolved({parameter: value}), SAMPLE).mean())


@pytest.mark.parametrize(("world", "parameter", "side"), [case for w in WORLDS for case in cases(w, "tests")])
def test_drivers_are_seen(world, parameter, side):
    value = world.parameter(parameter).tests[side]
    least = SEEN.get((world.name, parameter, side), SEEN["else"])
    assert power(world, parameter, value) >= least


@pytest.mark.parametrize(
    ("world", "parameter", "value"), [case for w in WORLDS for case in cases(w, "decoys")]
)
def test_decoys_are_inert(world, parameter, value):
    assert power(world, parameter, value) <= INERT
