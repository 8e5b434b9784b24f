"""The families of version 1 by name; each is a module that is imported when it is used."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import cast

from assay.suites.sgi.frame.family import Family

MODULES: Mapping[str, str] = {
    "dry_experiment": "assay.suites.sgi.methods.dry",
    "wet_experiment": "assay.suites.sgi.bench.wet",
    "idea_generation": "assay.suites.sgi.plans.ideas",
}
"""Where each family is."""


def family_of(name: str) -> Family:
    """The family of that name.

    Raises:
        KeyError: there is none of version 1.
    """
    return cast("Family", import_module(MODULES[name]))
