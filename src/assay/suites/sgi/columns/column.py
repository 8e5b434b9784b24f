"""The metrics of a reply to an item of any family."""

from __future__ import annotations

from collections.abc import Iterable

from assay.suites.sgi.columns import (
    deep_research,
    dry_experiment,
    experimental_reasoning,
    idea_generation,
    wet_experiment,
)
from assay.suites.sgi.columns.profiles import Item, Profile, Value
from assay.suites.sgi.embeddings.embedder import HASHED, NamedEmbedder
from assay.suites.sgi.families import Family
from assay.suites.sgi.frame.registry import family_of
from assay.suites.sgi.frame.tasks import is_v1


def score(
    family: Family,
    item: Item,
    reply: str,
    profile: Profile = "objective",
    embedder: NamedEmbedder = HASHED,
) -> Iterable[Value]:
    """Every metric of one reply under a profile; `headline` is the one that its column averages.

    A value that needs a judge is null. The embedder is for ideas alone.
    """
    if is_v1(dict(item)):
        return family_of(family).score(dict(item), reply, profile)
    if family == "wet_experiment":
        return wet_experiment.score(item, reply, profile)
    if family == "dry_experiment":
        return dry_experiment.score(item, reply, profile)
    if family == "deep_research":
        return deep_research.score(item, reply, profile)
    if family == "idea_generation":
        return idea_generation.score(item, reply, profile, embedder)
    return experimental_reasoning.score(item, reply, profile)
