"""Is the world what it claims to be? Two checks against what is known of urns."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from typing import Any

from assay.numbers import rng
from assay.protocol import CheckRow, Key, Materials
from tests.protocol.madeup import artefacts
from tests.protocol.madeup.checks import CHECKS as CHECKS


def check(name: str, settings: Mapping[str, Any], materials: Materials) -> Iterable[CheckRow]:
    """Run one of `CHECKS`."""
    return CHECKS[name].rows(name, settings["urns"], materials)


def draws(name: str, urns: int, materials: Materials) -> Iterable[CheckRow]:
    """Whether draws are fair: half of the red balls come first."""
    share = _share_in_first_half(urns)
    yield CheckRow(
        check=name,
        statistic="mean share of red balls in the first half",
        value=share,
        low=0.4,
        high=0.6,
        passed=0.4 <= share <= 0.6,
        reference="hypergeometric distribution",
        caveat="urns of eight balls only",
    )


def scale(name: str, urns: int, materials: Materials) -> Iterable[CheckRow]:
    """Whether the scale never says that fewer red balls weigh more."""
    for balls in artefacts.SIZES:
        step = _least_step(artefacts.scale(balls), materials)
        yield CheckRow(
            check=name,
            statistic=f"least difference of neighbouring weights, {balls} balls",
            value=float(step),
            low=0.0,
            high=None,
            passed=step >= 0,
            reference="the maker of the scale",
        )


def _share_in_first_half(urns: int) -> float:
    shares = []
    for urn in range(urns):
        colours = list("rrrrbbbb")
        rng.stream(0, "madeup", "draws", urn).shuffle(colours)
        shares.append(colours[:4].count("r") / 4)
    return math.fsum(shares) / urns


def _least_step(key: Key, materials: Materials) -> int:
    weights = artefacts.read(materials.artefacts.get(key))
    return min(b - a for a, b in itertools.pairwise(weights))
