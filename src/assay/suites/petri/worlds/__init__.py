"""What is known of each world before anything runs: parameters, ranges, metrics, values worth testing.

Plain data, no numpy: the audit reads it to tell which configurations differ in what. The engines in
`engines` compute; a new world is a module here and one there, a line in `replicates`, its checks in `checks`,
and its curves (see `curves`).
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.suites.petri.worlds.market import MARKET
from assay.suites.petri.worlds.model import SIDES, Config, Parameter, Role, Side, World
from assay.suites.petri.worlds.morph import MORPH
from assay.suites.petri.worlds.origin import ORIGIN
from assay.suites.petri.worlds.social import SOCIAL
from assay.suites.petri.worlds.swarm import SWARM

__all__ = [
    "MARKET",
    "MORPH",
    "ORIGIN",
    "SIDES",
    "SOCIAL",
    "SWARM",
    "WORLDS",
    "Config",
    "Parameter",
    "Role",
    "Side",
    "World",
]

WORLDS: Mapping[str, World] = {world.name: world for world in (SWARM, MARKET, ORIGIN, MORPH, SOCIAL)}
"""All worlds by name."""
