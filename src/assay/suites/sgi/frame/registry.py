"""The families of version 1 by name; each is a module that is imported when it is used."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import cast

from assay.suites.sgi.frame.family import Family

MODULES: Mapping[str, str] = {
    "dry_experiment": "assay.suites.sgi.methods.dry:generate",
    "wet_experiment": "assay.suites.sgi.bench.wet:generate",
    "idea_generation": "assay.suites.sgi.plans.ideas:generate",
}
"""Where each family is, in the form that the fingerprint of a job follows like an import."""


def family_of(name: str) -> Family:
    """The family of that name.

    Raises:
        KeyError: there is none of version 1.
    """
    return cast("Family", import_module(MODULES[name].partition(":")[0]))
