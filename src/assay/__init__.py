"""Assay regenerates, runs, scores and audits benchmarks for AI scientists.

Programs list tasks with `tasks` (`assay.sessions.programs.catalogue`), play them with `open_task`
(`assay.sessions.session`), read results with `results`
(`assay.comparison.results`) and compare agents with `compare` (`assay.comparison.report`).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.comparison.report import compare as compare
    from assay.comparison.results import results as results
    from assay.sessions.programs.catalogue import tasks as tasks
    from assay.sessions.session import open_task as open_task

__version__ = "0.1.0"


_HOMES = {
    "compare": "assay.comparison.report",
    "open_task": "assay.sessions.session",
    "results": "assay.comparison.results",
    "tasks": "assay.sessions.programs.catalogue",
}


def __getattr__(name: str) -> Any:
    # Loaded by name and not by an import statement: `import assay` stays cheap, and no stage depends on it.
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
