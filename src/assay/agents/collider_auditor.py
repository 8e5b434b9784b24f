"""Alias of `assay.suites.collider.scripted.auditor`, because recorded opinions contain this name."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    # Imported by name, because `assay.agents` must not depend on suites.
    return getattr(import_module("assay.suites.collider.scripted.auditor"), name)
