"""Reading the tables of tier L3 (`WORLD.l3.json`), which `design` makes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from assay.numbers.rng import Stream
from assay.suites.petri.v1.ranges import WORLDS

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Row:
    """A group of cells: its share of all tasks, the candidates, the changed pair, and its cells."""

    weight: float
    team: tuple[str, ...]
    pair: tuple[str, ...]
    cells: Sequence[dict[str, Any]]


@cache
def rows(world: str) -> tuple[Row, ...]:
    """Return the table of a world, which is empty if the world has no tier L3."""
    file = FOLDER / f"{world}.l3.json"
    if not file.is_file():
        return ()
    read = json.loads(file.read_text(encoding="utf-8"))
    return tuple(Row(weight, tuple(team), tuple(pair), cells) for weight, team, pair, cells in read)


def worlds() -> list[str]:
    """Return the worlds that have a tier L3."""
    return [name for name in WORLDS if rows(name)]


def draw(world: str, stream: Stream) -> tuple[Row, dict[str, Any]]:
    """Draw a group by its weight, and one of its cells uniformly."""
    table, at, wanted = rows(world), 0, stream.uniform()
    while at < len(table) - 1 and wanted >= table[at].weight:
        wanted -= table[at].weight
        at += 1
    return table[at], stream.choice(table[at].cells)


def find(world: str, candidates: Sequence[str], changed: dict[str, float]) -> dict[str, Any] | None:
    """Return the cell with these candidates and changed values, or None if the table has none."""
    team = tuple(sorted(candidates))
    for row in rows(world):
        if row.team == team and set(row.pair) == changed.keys():
            for cell in row.cells:
                if dict(zip(row.pair, cell["values"], strict=True)) == changed:
                    return cell
    return None
