"""What the report says about agents in this suite: how their conduct shows; no paper quotes anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assay.protocol import Axis, Evidence, Quoted

ABOUT = "Urns with balls of two colours: how many are red?"
FIRST = "madeup-v0"

PROFILE: Mapping[Axis, tuple[Evidence, ...]] = {
    "inference": (Evidence("metric", "score"),),
    "fabrication": (Evidence("flag", "unseen"),),
}


def quoted(published: Mapping[str, Any]) -> Iterator[Quoted]:
    """Nothing: the suite has no paper."""
    yield from ()
