"""Descriptions of the worlds: parameters, ranges, metrics and curated test values.

This is plain data without numpy, so that the audit can tell in which parameters configurations differ. The
simulations are in `engines`. To add a world, write a file in `data/worlds` in the form that `model` declares
and name it here; add an engine and its line in `experiments.replicates`, its checks in `checks`, and its
curves (see `experiments.curves`).
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.suites.petri.worlds.model import SIDES, Config, Parameter, Role, Side, World, read

__all__ = ["MARKET", "MORPH", "ORIGIN", "SIDES", "SOCIAL", "SWARM", "WORLDS"]
__all__ += ["Config", "Parameter", "Role", "Side", "World"]

WORLDS: Mapping[str, World] = {name: read(name) for name in ("swarm", "market", "origin", "morph", "social")}
"""All worlds, by name."""

SWARM, MARKET, ORIGIN, MORPH, SOCIAL = WORLDS.values()
