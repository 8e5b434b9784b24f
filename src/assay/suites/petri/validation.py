"""Comparison of the worlds with established results of their literatures (section 6 of the paper).

Every check runs the engine on seeds that nothing else uses, with thresholds that were fixed in advance. The
checks are in `checks`, with one module per world.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.errors import UnknownName
from assay.numbers import rng
from assay.protocol import CheckRow, Materials
from assay.suites.petri.checks import CHECKS as CHECKS


def check(name: str, settings: Mapping[str, Any], materials: Materials) -> Iterable[CheckRow]:
    """Run one check of a world.

    Args:
        name: A key of `CHECKS`.
        settings: `seeds`, the number of runs of each configuration that the check compares.
        materials: Not used by this suite.

    Returns:
        The comparisons with the literature, each with its bounds.

    Raises:
        UnknownName: There is no check of that name.
    """
    if name not in CHECKS:
        raise UnknownName(f"there is no check {name!r}", f"choose one of {', '.join(CHECKS)}")
    seeds = seeds_of(name.partition("-")[0], settings["seeds"])
    return list(CHECKS[name].rows(name, seeds))


def seeds_of(world: str, n: int) -> tuple[int, ...]:
    """Return the first `n` seeds on which a world is checked; nothing else uses them."""
    stream = rng.stream(0, "petri", "validation", world)
    return tuple(stream.bits() >> 11 for _ in range(n))
