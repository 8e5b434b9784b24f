"""Items of archived sets, for tests that need one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from assay.suites.sgi.items import item_of
from assay.task import Task, file_name, read_frozen


def task(name: str, index: int = 0) -> Task:
    """A task of an archived set or of a family's, without the contents that it shows."""
    return read_frozen(Path("tasks/sgi") / SETS.get(name, name) / file_name(index))


SETS = {
    "wet_experiment": "wet-v0",
    "dry_experiment": "dry-v0",
    "idea_generation": "ideas-v0",
    "deep_research": "research-v0",
    "experimental_reasoning": "reasoning-v0",
}


def row(name: str, index: int = 0) -> dict[str, Any]:
    """The whole item of a task."""
    found: dict[str, Any] = json.loads(json.dumps(item_of(task(name, index))))
    return found
