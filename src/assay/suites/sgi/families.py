"""The task families, and the words that the released data uses for disciplines and types."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, get_args

Family = Literal[
    "deep_research",
    "idea_generation",
    "dry_experiment",
    "wet_experiment",
    "experimental_reasoning",
    "investigation",
]
INVESTIGATION: Literal["investigation"] = "investigation"
"""The inquiry, a column of its own: it is no family of the paper, and never enters the SGI-Score."""

FAMILIES: tuple[Family, ...] = tuple(name for name in get_args(Family) if name != INVESTIGATION)
"""The families of the paper."""

CODES: dict[Family, int] = {name: code for code, name in enumerate(get_args(Family), 1)}
"""Of each family, in the seed of its items."""

RELEASED_NAMES: dict[Family, str] = {
    "deep_research": "DeepResearch",
    "idea_generation": "IdeaGeneration",
    "dry_experiment": "DryExperiment",
    "wet_experiment": "WetExperiment",
    "experimental_reasoning": "Reasoning",
}
"""The middle of an item's `idx`."""

DISCIPLINES = (
    "astronomy",
    "chemistry",
    "earth",
    "energy",
    "information",
    "life",
    "material",
    "mathematics",
    "neuroscience",
    "physics",
)

HEADLINE_ARMS: Mapping[str, str] = {"deep_research": "agent", "experimental_reasoning": "image"}
"""Of families whose items come in several arms the one that is the benchmark: the others give or withhold
documents or pictures."""


RELEASED = "released"
"""The stratum `generation` of released items: their numbers never stand in one column with others."""


def folded(word: str) -> str:
    """A discipline or type as it is compared: lower case, hyphens and underscores as spaces."""
    return re.sub(r"[\s_-]+", " ", word).strip().casefold()


def item_name(family: str, index: int, prefix: str = "SGX") -> str:
    """The `idx` of an item; generated ones begin with SGX, released ones with SGI."""
    names = {str(known): name for known, name in RELEASED_NAMES.items()} | {INVESTIGATION: "Investigation"}
    return f"{prefix}_{names[family]}_{index:04d}"
