"""Mock tasks and their honest runs, for tests of the gate."""

from __future__ import annotations

from assay.episodes.blobs import MemoryBlobs
from assay.suites.collider.problems.sets import SETS
from assay.suites.collider.tasks import generate
from assay.task import Task


def task_of(task_set: str, index: int) -> Task:
    recipe = SETS[task_set]
    return generate(recipe, task_set, index, recipe.seed, MemoryBlobs())


def mock_task(index: int = 0) -> Task:
    return task_of("mock-v0", index)
