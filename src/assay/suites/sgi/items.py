"""An item of any family: generated from a root seed, split into what is shown and what is true."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from assay.errors import NotBuilt
from assay.suites.sgi.dry import items as dry
from assay.suites.sgi.families import Family
from assay.suites.sgi.reasoning import items as reasoning
from assay.suites.sgi.wet import items as wet
from assay.task import Task

Row = dict[str, Any]
"""An item in the released columns, with columns of ours (`x_...`)."""

GENERATORS: Mapping[Family, Callable[[int, int, int | None], Row]] = {
    "wet_experiment": wet.generate,
    "dry_experiment": dry.generate,
    "experimental_reasoning": reasoning.generate,
}
"""Of each family that can be generated: root seed, index and level (null: the index decides) to an item."""

SHOWN: Mapping[Family, tuple[str, ...]] = {
    "wet_experiment": ("question", "action_pool"),
    "dry_experiment": ("question", "data_code", "incomplete_main_code", "incomplete_functions"),
    "experimental_reasoning": ("question", "options"),
}
"""The columns that a model is given."""

TYPES: Mapping[Family, str] = {
    "wet_experiment": "direction",
    "dry_experiment": "function_type",
    "experimental_reasoning": "type",
}
"""The column that is the type of an item, for the tables."""


def generate(family: Family, root: int, index: int, level: int | None = None) -> Row:
    """One item; `NotBuilt` for a family without a generator."""
    if family not in GENERATORS:
        raise NotBuilt(
            f"items of the family {family} cannot be generated yet", f"choose one of {', '.join(GENERATORS)}"
        )
    return GENERATORS[family](root, index, level)


def item_of(task: Task) -> Row:
    """The whole item of a task."""
    return {**task.public["columns"], **task.hidden}
