"""The crystals of an episode: prior records, manipulator and reactor.

All crystals share the model and differ in the bases of the controllable variables (paper, section 3).
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from assay.suites.causalab.model.scm import Model, Values

RECORD_SEED = 42
"""Seed of the prior records, as in the released engine; it does not depend on the episode's seed."""

LARGEST_BASE = 100
REACTOR_OFFSET = 50_000


def records(model: Model, count: int, seed: int = RECORD_SEED) -> list[Values]:
    """Return the first `count` prior records; a smaller count gives a prefix of the same list.

    The first records of a hard-quadratic model are presets in its file and consume no random draws.
    """
    return [model.evaluate(bases) for bases, _ in zip(record_bases(model, seed), range(count), strict=False)]


def record_bases(model: Model, seed: int = RECORD_SEED) -> Iterator[dict[str, int]]:
    """Yield the bases of one record after another without end."""
    yield from _presets(model)
    chance = random.Random(seed)
    while True:
        yield {name: chance.randint(0, LARGEST_BASE) for name in model.controllable}


def _presets(model: Model) -> list[dict[str, int]]:
    presets = _metadata(model).get("observation_presets", [])
    return [{name: preset[name] for name in model.controllable} for preset in presets]


def manipulator_bases(model: Model, env_seed: int = 1) -> dict[str, int]:
    """Return the bases of the crystal that can be changed."""
    return _crystal(model, "property_manipulator", env_seed * 1000)


def reactor_bases(model: Model, env_seed: int = 1) -> dict[str, int]:
    """Return the bases of the crystal whose frequency is to be predicted."""
    return _crystal(model, "reactor", env_seed * 1000 + REACTOR_OFFSET)


def _crystal(model: Model, preset: str, seed: int) -> dict[str, int]:
    """Return the preset bases, or else one draw per variable, each from its own generator.

    The original seeds each generator with Python's `hash` of the name, which differs between processes; here
    crc32 replaces it.
    """
    bases = _metadata(model).get(preset)
    if bases is not None:
        return {name: bases[name] for name in model.controllable}
    return {name: _drawn(seed, name) for name in model.controllable}


@lru_cache(maxsize=4096)  # all graphs share the same draws
def _drawn(seed: int, name: str) -> int:
    return random.Random(seed + zlib.crc32(name.encode()) % 1000).randint(0, LARGEST_BASE)


def _metadata(model: Model) -> Any:
    metadata = model.raw.get("quadratic_metadata")
    return metadata if isinstance(metadata, dict) else {}
