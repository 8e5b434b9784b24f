"""The families of version 1 by name; each is the object of a module that is imported when it is used."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import cast

from assay.suites.sgi.frame.family import Family

MODULES: Mapping[str, str] = {
    "dry_experiment": "assay.suites.sgi.methods.dry:FAMILY",
    "wet_experiment": "assay.suites.sgi.bench.wet:FAMILY",
    "idea_generation": "assay.suites.sgi.plans.ideas:FAMILY",
    "deep_research": "assay.suites.sgi.literature.research:FAMILY",
    "experimental_reasoning": "assay.suites.sgi.instruments.reasoning:FAMILY",
    "investigation": "assay.suites.sgi.investigation.inquiry:FAMILY",
}
"""Where each family is, in the form that the fingerprint of a job follows like an import."""


def family_of(name: str) -> Family:
    """The family of that name.

    Raises:
        KeyError: there is none of version 1.
    """
    module, _, attribute = MODULES[name].partition(":")
    return cast("Family", getattr(import_module(module), attribute))
