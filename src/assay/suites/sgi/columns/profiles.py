"""The scoring profiles, and what a metric of one item is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    """A metric of one item; null where it does not apply or needs a judge that is not there."""

    metric: str
    value: float | None
    label: str = ""


Judge = Callable[[str, Item, str], Any]
"""A judge's verdict on (question, item, reply); never in the headline.

Of the question `steps` a list of true and false, one a step; of `reasoning` the text of its reply; of `votes`
by dimension the number of votes for the model out of six.
"""

UNDERSPECIFIED = "underspecified"
"""The label of a value of profile `paper` that rests on the objective rule, since nothing is printed."""
