"""The worlds: parameters, ranges, metrics and values worth testing, known before anything runs.

Plain data, no numpy: the audit reads it to tell which configurations differ in what. The engines in
`engines` compute. A new world is a file in `data/worlds`, which `model` declares and this module names; an
engine with a line in `experiments.replicates`; its checks in `checks`; its curves (see `experiments.curves`).
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.suites.petri.worlds.model import SIDES, Config, Parameter, Role, Side, World, read

__all__ = ["MARKET", "MORPH", "ORIGIN", "SIDES", "SOCIAL", "SWARM", "WORLDS"]
__all__ += ["Config", "Parameter", "Role", "Side", "World"]

WORLDS: Mapping[str, World] = {name: read(name) for name in ("swarm", "market", "origin", "morph", "social")}
"""All worlds by name."""

SWARM, MARKET, ORIGIN, MORPH, SOCIAL = WORLDS.values()
