"""Attackers of a family, as tests of its items play them."""

from __future__ import annotations

from collections.abc import Sequence

from assay.suites.sgi.frame import curves
from assay.suites.sgi.frame.attackers import ATTACKERS
from assay.suites.sgi.frame.family import Family, Row

WITHOUT_A_LEARNER = sorted({*ATTACKERS} - {"nearest-neighbour", "regression", "value-prior"})
"""Attackers that learn nothing from solved items: five of them would teach a learner nothing."""


def attacked(family: Family, rows: Sequence[Row], name: str) -> list[float]:
    """Points of an attacker for each item, with the other items as those whose truth it knows."""
    return [
        curves.attacked(family, row, [other for other in rows if other is not row], name, 4) for row in rows
    ]
