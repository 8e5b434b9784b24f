"""The items that an evaluation may choose from: frozen sets of the suite, or new ones of another seed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from assay.config.models import SuiteConfig
from assay.config.sets import find_recipe
from assay.episodes.blobs import MemoryBlobs
from assay.errors import UnknownName
from assay.sessions.taskfiles import find_task, folder
from assay.suites.sgi.lab.evaluation.selection import name_of
from assay.task import Task, read_frozen


@dataclass(frozen=True)
class Pool:
    """Tasks by name, and where the contents that they show come from."""

    config: SuiteConfig
    seed: int | None
    tasks: tuple[Task, ...]
    blobs: MemoryBlobs

    def find(self, name: str) -> Task:
        """A task of the pool with the contents that it shows."""
        found = next((task for task in self.tasks if name_of(task) == name), None)
        if found is None:
            raise UnknownName(f"there is no item {name!r} here", "run the stage of selection again")
        if self.seed is None and found.blobs:
            return find_task(self.config, name, self.blobs)
        return found


def open_pool(config: SuiteConfig, sets: Sequence[str] = (), seed: int | None = None) -> Pool:
    """The items of these sets; by default of the largest set of each family, which is its column.

    With a `seed` the same number of new items, made by the recipes of the sets and shown to nobody before.
    """
    blobs = MemoryBlobs()
    known = [name for name, kind in config.file.sets.items() if kind == "frozen"]
    for name in sets:
        if name not in known:
            raise UnknownName(f"sgi has no frozen set {name!r}", f"its sets are {', '.join(known)}")
    frozen = {name: _frozen(config, name) for name in sets or known}
    if not sets:
        frozen = {name: frozen[name] for name in _largest(frozen)}
    if seed is None:
        return Pool(config, None, tuple(task for tasks in frozen.values() for task in tasks), blobs)
    room = config.suite.room("tasks")
    made = [
        room.generate(find_recipe(config.suite, name, seed), name, index, seed, blobs)
        for name, tasks in frozen.items()
        for index in range(len(tasks))
    ]
    return Pool(config, seed, tuple(made), blobs)


def _frozen(config: SuiteConfig, name: str) -> list[Task]:
    return [read_frozen(path) for path in sorted(folder(config, name).glob("*.json"))]


def _largest(sets: dict[str, list[Task]]) -> list[str]:
    """Of each family the set with most of its items, the first by name of several."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for name, tasks in sorted(sets.items()):
        for task in tasks:
            counts[task.strata["family"]][name] += 1
    return sorted({min(own, key=lambda name: (-own[name], name)) for own in counts.values()})
