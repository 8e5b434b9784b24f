"""The suites, task sets and tasks of a configuration, as lists to choose from."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from assay.config.agents import SolverEntry
from assay.config.loading import DEFAULT, load, suite_of
from assay.config.models import Config, Generated, Released, SuiteConfig
from assay.episodes.blobs import MemoryBlobs
from assay.errors import UnknownName
from assay.sessions import taskfiles


@dataclass(frozen=True)
class Listing:
    """A task as a list shows it, without its hidden half.

    Attributes:
        suite: The suite.
        task_set: The set.
        index: The place in the set, from 0.
        task_id: The identifier; the index as text for tasks that are generated without files.
        strata: The strata of the task; empty for tasks that are generated without files.
    """

    suite: str
    task_set: str
    index: int
    task_id: str
    strata: dict[str, str]

    @property
    def name(self) -> str:
        """The name under which `open_task` opens the task: set/index."""
        return f"{self.task_set}/{self.index}"

    def to_json(self) -> dict[str, Any]:
        """Return the fields as a JSON object."""
        return asdict(self)


def tasks(
    suite: str | None = None,
    task_set: str | None = None,
    *,
    config: str | Path = DEFAULT,
    root: str | Path | None = None,
) -> list[Listing]:
    """Return the tasks of a configuration.

    Args:
        suite: Only this suite.
        task_set: Only this set.
        config: The path of the project's configuration.
        root: The folder of the project, as in `open_task`.

    Example:
        >>> tasks("petri", "core-v0")[0].name
        'core-v0/0'

    Raises:
        UnknownName: If there is no such suite or set.
    """
    loaded = load(Path(config), root=None if root is None else Path(root))
    suites = loaded.suites.values() if suite is None else [suite_of(loaded, suite, Path(config))]
    listed = [
        listing
        for entry in suites
        for name in entry.file.sets
        if task_set in (None, name)
        for listing in tasks_of(entry, name)
    ]
    if task_set is not None and not any(task_set in entry.file.sets for entry in suites):
        known = sorted(name for entry in suites for name in entry.file.sets)
        raise UnknownName(f"there is no set {task_set!r}", f"the sets are {', '.join(known)}")
    return listed


def tasks_of(config: SuiteConfig, task_set: str) -> list[Listing]:
    """Return the tasks of one set."""
    entry, suite = config.file.sets[task_set], config.suite.name
    if isinstance(entry, Generated):
        return [Listing(suite, task_set, index, str(index), {}) for index in range(entry.count)]
    tasks = taskfiles.tasks_of(config, task_set, MemoryBlobs())
    return [
        Listing(suite, task_set, index, task.task_id, dict(task.strata)) for index, task in enumerate(tasks)
    ]


def size(config: SuiteConfig, task_set: str) -> int:
    """Return the number of tasks of a set; only those of a set that is given by a path are read."""
    entry = config.file.sets[task_set]
    if isinstance(entry, Generated):
        return entry.count
    if isinstance(entry, Released):
        return len(tasks_of(config, task_set))
    return len(list(taskfiles.folder(config, task_set).glob("*.json")))


def checked_set(config: Config, name: str, path: Path) -> tuple[SuiteConfig, str]:
    """Return the suite and the set that a name suite/set stands for.

    Raises:
        UnknownName: If there is no such suite or set.
    """
    suite, _, task_set = name.partition("/")
    entry = suite_of(config, suite, path)
    if task_set not in entry.file.sets:
        raise UnknownName(
            f"the suite {suite} has no task set {task_set!r}",
            f"name it as suite/set; the sets of {suite} are {', '.join(entry.file.sets)}",
        )
    return entry, task_set


def reference(config: Config, suite: str, task_set: str) -> str:
    """Return the first agent of the configuration that is a reference solver of a set.

    Raises:
        UnknownName: If there is none.
    """
    for name, agent in config.agents.items():
        sets = agent.suites.get(suite, [])
        if (
            isinstance(agent, SolverEntry)
            and agent.role_in(suite) == "reference"
            and (sets == "all" or task_set in sets)
        ):
            return name
    raise UnknownName(f"no reference solver plays {suite}/{task_set}", "name an agent, or another set")
