"""Curves of power and effect against a parameter's distance from control, from which tasks draw values.

Each side of a parameter, from control to the limit of the legal range, has 18 equal steps. For each step
`data/curves/WORLD.json` holds the value, the power to detect it (on the oracle's seeds, see `oracle`) and the
relative change of the target's mean. The files are committed because they take minutes to compute;
`python -m assay.suites.petri.experiments.curves WORLD` computes the file of a world again.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assay.suites.petri.experiments.oracle import SAMPLE, Sample, band, detected, relative_change
from assay.suites.petri.worlds import SIDES, WORLDS, Parameter, Side, World

DATA_FILES = (
    "../data/curves/market.json",
    "../data/curves/morph.json",
    "../data/curves/origin.json",
    "../data/curves/social.json",
    "../data/curves/swarm.json",
)

STEPS = 18
LEAST_POWER = 0.25
"""Smallest power of a step that tasks may use, so that a driver can be detected at least occasionally."""


@dataclass(frozen=True)
class Step:
    """One value of a parameter, the power to detect it, and the relative change of the target's mean."""

    value: float
    power: float
    change: float

    @property
    def band(self) -> str | None:
        """The difficulty band of the power, or None if it is below `LEAST_POWER`."""
        return band(self.power) if self.power >= LEAST_POWER else None


def side_values(parameter: Parameter, side: Side) -> list[float]:
    """Return the values of the steps on one side, from control outwards; empty if the side has no width."""
    end = parameter.legal[0 if side == "-" else 1]
    length = end - parameter.control
    values = [parameter.rounded(parameter.control + length * k / STEPS) for k in range(1, STEPS + 1)]
    return [v for v in dict.fromkeys(values) if v != parameter.control]


@cache
def menu(world: str, metric: str) -> Mapping[str, Mapping[Side, tuple[Step, ...]]]:
    """Return the steps of every driver of a metric by parameter and side, for sides with a curated value."""
    table = json.loads(_file(world).read_text(encoding="utf-8"))
    return {
        parameter: {side: tuple(Step(*step) for step in steps) for side, steps in sides.items()}
        for parameter, sides in table[metric].items()
    }


def measured(world: World, metric: str, sample: Sample = SAMPLE) -> Iterator[tuple[str, Side, list[Step]]]:
    """Measure the steps of every driver and yield parameter, side and steps."""
    for parameter in world.toward(metric).parameters:
        for side in SIDES:
            if side in parameter.tests:
                steps = []
                for value in side_values(parameter, side):
                    overrides = {parameter.name: value}
                    seen = detected(world.name, metric, world.resolved(overrides), sample)
                    change = relative_change(world.name, metric, overrides, sample)
                    steps.append(Step(value, int(seen.sum()) / sample.subsamples, round(change, 4)))
                yield parameter.name, side, steps


def _file(world: str) -> Path:
    return Path(__file__).parents[1] / "data" / "curves" / f"{world}.json"


def measure(world: World) -> None:
    """Measure all curves of a world and write its table."""
    table: dict[str, dict[str, dict[str, list[list[float]]]]] = {}
    for metric in sorted(set(world.targets.values())):
        of_metric = table.setdefault(metric, {})
        for parameter, side, steps in measured(world, metric):
            of_metric.setdefault(parameter, {})[side] = [[s.value, s.power, s.change] for s in steps]
    text = json.dumps(table, indent=1, sort_keys=True)
    _file(world.name).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        measure(WORLDS[name])
