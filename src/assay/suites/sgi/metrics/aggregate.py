"""From columns to one number: the SGI-Score over five columns, SGI4 over four families."""

from __future__ import annotations

import math
from collections.abc import Mapping

from assay.suites.sgi.families import FAMILIES, Family

Columns = Mapping[Family, float | None]
"""The mean of each column in percent; null where it was not measured."""


def sgi_score(columns: Columns) -> float | None:
    """The mean of the five columns at full precision; null where one is null."""
    values = [columns.get(family) for family in FAMILIES]
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(FAMILIES) if len(known) == len(FAMILIES) else None


def released_score(columns: Columns) -> float | None:
    """As released: columns rounded to two decimals, then the mean, rounded again."""
    values = [columns.get(family) for family in FAMILIES]
    known = [round(value, 2) for value in values if value is not None]
    return round(sum(known) / len(FAMILIES), 2) if len(known) == len(FAMILIES) else None


def sgi4(columns: Columns) -> float | None:
    """The mean of four families, both kinds of experiment together as one; null where a column is null."""
    values = [columns.get(family) for family in FAMILIES]
    if any(value is None for value in values):
        return None
    research, ideas, dry, wet, reasoning = (value or 0.0 for value in values)
    return math.fsum([research, ideas, (dry + wet) / 2, reasoning]) / 4


def partial(columns: Columns) -> tuple[float | None, tuple[Family, ...]]:
    """The mean of the columns that are there, and which these are: never to be called the SGI-Score."""
    used = tuple(family for family in FAMILIES if columns.get(family) is not None)
    known = [value for family in used if (value := columns[family]) is not None]
    return (math.fsum(known) / len(known) if known else None), used
