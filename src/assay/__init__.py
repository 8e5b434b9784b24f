"""Assay regenerates, runs, scores and audits benchmarks for AI scientists.

Programs play tasks with `open_task`, see `assay.sessions.session`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.sessions.session import open_task as open_task

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    # Loaded by name and not by an import statement: `import assay` stays cheap, and no stage depends on it.
    if name == "open_task":
        return import_module("assay.sessions.session").open_task
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
