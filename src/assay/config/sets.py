"""Task sets by name: those that a suite declares, and private ones by the recipe of a declared set."""

from __future__ import annotations

from dataclasses import replace

from assay.config.secret import set_seed
from assay.errors import UnknownName
from assay.protocol import TaskSet
from assay.suite import Suite


def find_set(suite: Suite, name: str) -> TaskSet:
    """How a set is generated; a private one by the recipe of the set it is named after."""
    sets = suite.room("tasks").SETS
    if name in sets:
        found: TaskSet = sets[name]
        return found
    recipe, seed = set_seed(suite.name, name)
    if recipe not in sets:
        raise UnknownName(
            f"the suite {suite.name} has no task set {name!r}", f"its sets are {', '.join(sorted(sets))}"
        )
    private: TaskSet = replace(sets[recipe], seed=seed)
    return private
