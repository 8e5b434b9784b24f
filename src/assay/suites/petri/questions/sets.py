"""The task sets and their cells. A cell is a tier, world and band, with a size at L2 and a sign at L3."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.config import data
from assay.protocol import TaskSet

DATA_FILES = ("../data/sets.yaml",)

SEED = 1
"""The seed of every set that declares none; the streams of sets differ by their names."""

BANDS = {"E": "easy", "M": "moderate", "H": "hard"}
MARKS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "L2": ("magnitude", {"s": "small", "m": "medium", "l": "large"}),
    "L3": ("sign", {"+": 1, "-": -1}),
}
"""For each tier: the key and values of the character that follows the band in the codes of cells."""


@dataclass(frozen=True)
class _Entry:
    __pydantic_config__ = data.CLOSED

    doc: str
    cells: Mapping[str, Mapping[str, str]]
    variant: str = ""
    smoke: bool = False
    archived: bool = False
    narrow: bool = False
    size: int = 0
    version: int = 1
    seed: int = SEED

    def task_set(self) -> TaskSet:
        cells = [
            _cell(tier, world, code)
            for tier, worlds in self.cells.items()
            for world, codes in worlds.items()
            for code in codes.split()
        ]
        variant = {"variant": self.variant} if self.variant else {}
        named = {"narrow": True} if self.narrow else {"version": self.version} if self.version > 1 else {}
        params = {**variant, **named, "cells": cells}
        size = self.size or len(cells)
        return TaskSet(size, self.seed, self.doc, params, smoke=self.smoke, archived=self.archived)


def _cell(tier: str, world: str, code: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"tier": tier, "world": world}
    if code != "x":
        cell["band"] = BANDS[code[0]]
    if tier in MARKS:
        key, words = MARKS[tier]
        cell[key] = words[code[1]]
    return cell


_ENTRIES: Mapping[str, _Entry] = data.read(Path(__file__).parent / DATA_FILES[0], dict[str, _Entry])

SETS: Mapping[str, TaskSet] = {name: entry.task_set() for name, entry in _ENTRIES.items()}
"""The task sets by name."""
