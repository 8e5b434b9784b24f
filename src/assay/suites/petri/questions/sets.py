"""The task sets: which cells (tier, world, band, and at L2 a size, at L3 a sign) each is made of.

The three sets `core-v0`, `l2-v0` and `l3-v0` together have 30 tasks: 14 easy, 9 moderate, 7 hard; at L2 four
small, three medium and three large effects; at L3 an interaction of each sign in every world. `pilot-v0` is
for trying things out. The others ask for more than the paper does, or for something else (see `variants` and
`boundary`), and are never pooled with the paper's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.protocol import TaskSet
from assay.suites.petri.boundary import TIER
from assay.suites.petri.questions.variants import BLIND, PAIRED, VECTOR

SEED = 1
"""Of every set: the name of a set is part of the names of its random streams."""

BANDS = {"E": "easy", "M": "moderate", "H": "hard"}
SIZES = {"s": "small", "m": "medium", "l": "large"}
SIGNS = {"+": 1, "-": -1}


def _cells(tier: str, rows: str) -> list[dict[str, Any]]:
    """Cells from lines `world cell cell ...`; a cell is a band, at L2 with a size, at L3 with a sign."""
    cells = []
    for line in rows.split("\n"):
        world, *codes = line.split()
        for code in codes:
            cell: dict[str, Any] = {"tier": tier, "world": world, "band": BANDS[code[0]]}
            if tier == "L2":
                cell["magnitude"] = SIZES[code[1]]
            if tier == "L3":
                cell["sign"] = SIGNS[code[1]]
            cells.append(cell)
    return cells


CORE = """swarm H M
market E M
origin E H
morph E E
social H M"""

L2 = """swarm Hs Em
market Ms El
origin Ms Em
morph Em El
social Hs El"""

L3 = """swarm H+ M-
market M- E+
origin E+ M-
morph E- M+
social H+ E-"""

PILOT = """swarm E M
market E
origin M
morph E
social M"""

ONE_A_WORLD = """swarm M
market M
origin M
morph E
social M"""
"""Moderate, since where every effect is certain to be seen nothing can be gained."""

VECTORS = """swarm M
market M
origin M
social M"""
"""Without morph: there nearly everything moves some metric, and decoys that move none are rare."""


def _set(
    cells: list[dict[str, Any]], doc: str, *, smoke: bool = False, archived: bool = False, **params: Any
) -> TaskSet:
    params = {**params, "cells": cells}
    return TaskSet(size=len(cells), seed=SEED, doc=doc, params=params, smoke=smoke, archived=archived)


SETS: Mapping[str, TaskSet] = {
    "pilot-v0": _set(_cells("L1", PILOT), "Six tasks of tier L1 to try things out, in all worlds."),
    "core-v0": _set(_cells("L1", CORE), "Tier L1: which parameter was changed, and which way?"),
    "l2-v0": _set(_cells("L2", L2), "Tier L2: and how large is the effect?"),
    "l3-v0": _set(_cells("L3", L3), "Tier L3: which two parameters interact, and with which sign?"),
    "paired-v0": _set(
        _cells("L1", ONE_A_WORLD),
        "The paired design as an option of experiments, in all worlds.",
        variant=PAIRED,
    ),
    "vector-v0": _set(
        _cells("L1", VECTORS),
        "All metrics are shown: which parameter, and what is its signature?",
        variant=VECTOR,
    ),
    "blind-v0": _set(
        _cells("L1", VECTORS),
        "Nobody names a target: which parameter, and which metric does it move?",
        variant=BLIND,
    ),
    "l4-v0": _set(
        [{"tier": TIER, "world": world} for world in ("swarm", "origin", "morph", "social") for _ in (1, 2)],
        "Where does a phase boundary lie? Four transitions, each in two hidden contexts.",
    ),
    "smoke-v0": _set(
        _cells("L1", "market E\nsocial E"),
        "Two easy tasks of tier L1, for the smallest language models.",
        smoke=True,
    ),
    "swarm-v0": _set(
        [
            *_cells("L1", "swarm H M"),
            *_cells("L2", "swarm Hs Em"),
            *_cells("L3", "swarm H+ M-"),
        ],
        "The world swarm alone, two tasks a tier: a small set for tests.",
    ),
}
"""The sets by name."""
