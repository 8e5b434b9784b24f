"""The cells of tier L3: pairs of changed parameters, with the effect of both together.

    python -m assay.suites.petri.v1.stored.library origin

runs every pair of sides at up to five levels a side and writes `origin.cells.json`, from which `design`
makes the table of tasks. Between levels, means and spreads are interpolated bilinearly in quarter steps.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from assay.suites.petri.experiments.replicates import mean, variance
from assay.suites.petri.questions.answers import REPLICATES
from assay.suites.petri.v1.runs import run
from assay.suites.petri.v1.stored.curves import FOLDER
from assay.suites.petri.v1.stored.sampling import seeds
from assay.suites.petri.v1.stored.store import Curve, store
from assay.suites.petri.v1.stored.teams import MARGINS, band_of

RUNS = {"swarm": 60, "market": 150, "origin": 600, "morph": 32}
"""Number of runs of each pair of levels."""

POWERS = (0.62, 0.80, 0.95)
"""The first levels of a side have these powers; the others divide the way to its end."""

LEVELS = 5
QUARTERS = 4

LEAST_POWER = 0.60
"""Least power of each of the two changes alone."""

LEAST_CONTRAST = 1.7
"""Least contrast in standard errors of a design of four arms of 12 runs."""


@dataclass(frozen=True)
class Cell:
    """Two changes and what they do.

    Attributes:
        values: The hidden values, in the order of the pair.
        dirs: The direction of each change alone, `up` or `down`.
        sign: 1 where both together move the target by more than the sum, else -1.
        total: The relative change of the mean by both together.
        z: The contrast in standard errors of a design of four arms of 12 runs.
        power: The smaller power of the two changes alone.
    """

    values: tuple[float, float]
    dirs: tuple[str, str]
    sign: int
    total: float
    z: float
    power: float


def levels(curve: Curve) -> list[float]:
    """Return up to LEVELS sizes of the effect of a side, from the least power to its end."""
    end = abs(curve.changes[-1])
    made: list[float] = []
    for wanted in POWERS:
        size = next((abs(r) for r, p in zip(curve.changes, curve.powers, strict=True) if p >= wanted), None)
        if size is not None and (not made or size > made[-1] + 0.01):
            made.append(size)
    missing = LEVELS - len(made)
    if made and end > made[-1] + 0.01:
        start = made[-1]
        made += [start + (end - start) * k / missing for k in range(1, missing + 1)]
    return made


def measure(world: str) -> dict[str, Any]:
    """Run all pairs of levels of a world: for each pair of sides, means and spreads as nested lists."""
    curves, made = store(world).curves, {}
    for (a, side_a), (b, side_b) in combinations(sorted(curves), 2):
        if a == b:
            continue
        sizes = [levels(curves[key]) for key in ((a, side_a), (b, side_b))]
        if not all(len(level) > 1 for level in sizes):
            continue
        grid = []
        for first in sizes[0]:
            row = []
            for second in sizes[1]:
                values = [
                    _value(curves[key], size) for key, size in (((a, side_a), first), ((b, side_b), second))
                ]
                place = f"{side_a}{values[0]:g} {b}{side_b}{values[1]:g}"
                runs = run(world, {a: values[0], b: values[1]}, seeds(world, a, place, RUNS[world]))
                row.append([round(mean(runs), 6), round(math.sqrt(variance(runs)), 6)])
            grid.append(row)
        made[f"{a} {side_a} {b} {side_b}"] = {"sizes": sizes, "grid": grid}
    return made


def _value(curve: Curve, size: float) -> float:
    """Return the value whose effect comes nearest to a size."""
    at = min(range(len(curve.changes)), key=lambda i: abs(abs(curve.changes[i]) - size))
    return curve.values[at]


def cells(world: str, measured: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], Cell]]:
    """Yield every cell that tasks may use, with its pair of parameters."""
    stored = store(world)
    base = abs(stored.mean)
    for key, table in measured.items():
        a, side_a, b, side_b = key.split()
        curves: list[Any] = [stored.curves[a, side_a], stored.curves[b, side_b]]  # type: ignore[index]
        for i, share_i, first in _steps(table["sizes"][0]):
            for j, share_j, second in _steps(table["sizes"][1]):
                sizes = (first, second)
                values = [curve.value_at(size) for curve, size in zip(curves, sizes, strict=True)]
                if None in values:
                    continue
                powers = [curve.power_at(size) for curve, size in zip(curves, sizes, strict=True)]
                power = min(powers)
                if power < LEAST_POWER or band_of(power, MARGINS[world]) is None:
                    continue
                both, sd = (_bilinear(table["grid"], i, share_i, j, share_j, part) for part in (0, 1))
                shifts = [s if c.direction == "up" else -s for c, s in zip(curves, sizes, strict=True)]
                contrast = both - stored.mean - base * sum(shifts)
                sds = [curve.sd_at(size) for curve, size in zip(curves, sizes, strict=True)]
                spread = stored.sd * stored.sd + sd * sd + math.fsum(s * s for s in sds)
                z = contrast / math.sqrt(spread / REPLICATES)
                if abs(z) < LEAST_CONTRAST:
                    continue
                yield (
                    (a, b),
                    Cell(
                        values=(values[0], values[1]),
                        dirs=(curves[0].direction, curves[1].direction),
                        sign=1 if z > 0 else -1,
                        total=round((both - stored.mean) / base, 4),
                        z=round(z, 3),
                        power=round(power, 4),
                    ),
                )


def _steps(sizes: list[float]) -> Iterator[tuple[int, float, float]]:
    """Yield the levels and quarter steps between them: lower level, share of the way to the next, size."""
    for i in range(len(sizes) - 1):
        for quarter in range(QUARTERS):
            share = quarter / QUARTERS
            yield i, share, sizes[i] + share * (sizes[i + 1] - sizes[i])
    yield len(sizes) - 2, 1.0, sizes[-1]


def _bilinear(grid: Any, i: int, share_i: float, j: int, share_j: float, part: int) -> float:
    low = grid[i][j][part] + share_j * (grid[i][j + 1][part] - grid[i][j][part])
    high = grid[i + 1][j][part] + share_j * (grid[i + 1][j + 1][part] - grid[i + 1][j][part])
    value: float = low + share_i * (high - low)
    return value


def as_json(cell: Cell) -> dict[str, Any]:
    """Return a cell as it stands in the table of tasks."""
    return {**asdict(cell), "values": list(cell.values), "dirs": list(cell.dirs)}


if __name__ == "__main__":
    for name in sys.argv[1:]:
        text = json.dumps(measure(name), sort_keys=True) + "\n"
        (FOLDER / f"{name}.cells.json").write_text(text, encoding="utf-8")
