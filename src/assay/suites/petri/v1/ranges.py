"""The worlds of the v1 sets: target, control, and the ranges that agents may set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from assay.config import data
from assay.suites.petri.worlds import WORLDS as V0
from assay.suites.petri.worlds import World
from assay.suites.petri.worlds.model import Range

DATA_FILES = ("../data/v1.yaml",)


def _world(name: str, ranges: Mapping[str, Range]) -> World:
    parameters = (replace(V0[name].parameter(key), legal=legal) for key, legal in ranges.items())
    return replace(V0[name], parameters=tuple(parameters), roles={})


_RANGES: Mapping[str, Mapping[str, Range]] = data.read(
    Path(__file__).parent / DATA_FILES[0], dict[str, dict[str, Range]]
)

WORLDS: Mapping[str, World] = {name: _world(name, ranges) for name, ranges in _RANGES.items()}
"""The worlds by name, without the parameters that v1 does not use."""


def target(world: str) -> str:
    """Return the metric that all comparisons of a world show."""
    return V0[world].targets["L1"]
