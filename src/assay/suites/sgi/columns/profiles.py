"""The scoring profiles, and what a metric of one item is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

Profile = Literal["objective", "paper", "released"]
PROFILES: tuple[Profile, ...] = get_args(Profile)
"""`objective`: ours, without any judge, the only one in the headline. `paper`: the printed formulas.
`released`: what the public code does, quirks included."""

TABLE_NAMES: Mapping[Profile, str] = {"objective": "default", "paper": "paper", "released": "released"}
"""The profiles as the table of scores has them, where every suite's own profile is called `default`."""

Item = Mapping[str, Any]
"""A row in the released columns, perhaps with columns of ours (`x_...`)."""


@dataclass(frozen=True)
class Value:
    """A metric of one item; null where it does not apply, or needs a judge (see `judging.tables`)."""

    metric: str
    value: float | None
    label: str = ""


UNDERSPECIFIED = "underspecified"
"""The label of a value of profile `paper` that rests on the objective rule, since nothing is printed."""
