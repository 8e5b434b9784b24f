"""The metrics of a reply to an item of any family."""

from __future__ import annotations

from collections.abc import Iterable

from assay.errors import NotBuilt
from assay.suites.sgi.columns import dry_experiment, wet_experiment
from assay.suites.sgi.columns.profiles import Item, Judge, Profile, Value
from assay.suites.sgi.families import Family


def score(
    family: Family, item: Item, reply: str, profile: Profile = "objective", judge: Judge | None = None
) -> Iterable[Value]:
    """Every metric of one reply under a profile; `headline` is the one that its column averages."""
    if family == "wet_experiment":
        return wet_experiment.score(item, reply, profile)
    if family == "dry_experiment":
        return dry_experiment.score(item, reply, profile, judge)
    raise NotBuilt(f"replies of the family {family} cannot be scored yet", "score wet experiments")
