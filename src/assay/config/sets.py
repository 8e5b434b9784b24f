"""Look up task sets by name: those that a suite declares, and private ones with the recipe of such a set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assay.config.secret import set_seed
from assay.errors import ConfigError, UnknownName
from assay.protocol import TaskSet
from assay.suite import Suite


def find_set(suite: Suite, name: str) -> TaskSet:
    """Return the task set with this name; a private set has the recipe of the set that it is named after.

    Raises:
        UnknownName: If the suite has no such set.
        ConfigError: If the set is private and there is no secret.
    """
    sets: Mapping[str, TaskSet] = suite.room("tasks").SETS
    if name in sets:
        return sets[name]
    recipe, seed = set_seed(suite.name, name)
    if recipe not in sets:
        raise UnknownName(
            f"the suite {suite.name} has no task set {name!r}", f"its sets are {', '.join(sorted(sets))}"
        )
    return replace(sets[recipe], seed=seed)


def find_recipe(suite: Suite, name: str) -> TaskSet:
    """Return the task set with this name, for generating tasks of it.

    Raises:
        UnknownName: If the suite has no such set.
        ConfigError: If the set is archived, because the present generator need not reproduce its tasks, or if
            the set is private and there is no secret.
    """
    task_set = find_set(suite, name)
    if task_set.archived:
        present = [other for other, declared in suite.room("tasks").SETS.items() if not declared.archived]
        raise ConfigError(
            f"{suite.name}/{name} is archived: its tasks are read from their files and cannot be generated",
            f"give the set as `frozen`, or generate one of {', '.join(sorted(present)) or 'another suite'}",
        )
    return task_set
