"""Look up task sets by name: those that a suite declares, and private ones with the recipe of such a set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assay.config.secret import SUFFIX, set_seed
from assay.errors import ConfigError, UnknownName
from assay.protocol import COMMITTED, TaskSet
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


def find_recipe(suite: Suite, name: str, seed: int | None = None) -> TaskSet:
    """Return the task set with this name, for generating tasks of it.

    Args:
        suite: The suite of the set.
        name: The name of the set.
        seed: The seed of other tasks of the same recipe; `None` for the tasks of the set itself.

    Raises:
        UnknownName: If the suite has no such set.
        ConfigError: If the set is archived, because the present generator need not reproduce its tasks; if it
            is private and there is no secret; or if its committed secret is not revealed yet.
    """
    task_set = find_set(suite, name)
    if seed is not None:
        task_set = replace(task_set, seed=seed)
    if task_set.archived:
        present = [other for other, declared in suite.room("tasks").SETS.items() if not declared.archived]
        raise ConfigError(
            f"{suite.name}/{name} is archived: its tasks are read from their files and cannot be generated",
            f"give the set as `frozen`, or generate one of {', '.join(sorted(present)) or 'another suite'}",
        )
    if task_set.seed == COMMITTED:
        raise ConfigError(
            f"{suite.name}/{name} cannot be generated before its host reveals the committed secret",
            f"play other tasks of its recipe: give a seed, or play {name}{SUFFIX}",
        )
    return task_set
