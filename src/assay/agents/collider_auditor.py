"""The old name of `assay.suites.collider.scripted.auditor`, which recorded opinions hold."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    # Loaded by name: an agent's package imports no suite.
    return getattr(import_module("assay.suites.collider.scripted.auditor"), name)
