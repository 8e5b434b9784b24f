"""An item of any family: generated from a root seed, split into what is shown and what is true."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from assay.suites.sgi.dry import items as dry
from assay.suites.sgi.families import Family
from assay.suites.sgi.ideas import items as ideas
from assay.suites.sgi.reasoning import items as reasoning
from assay.suites.sgi.reasoning.pictures import pictures
from assay.suites.sgi.research import items as research
from assay.suites.sgi.wet import items as wet
from assay.task import Task

Row = dict[str, Any]
"""An item in the released columns, with columns of ours (`x_...`)."""

GENERATORS: Mapping[Family, Callable[[int, int, int | None], Row]] = {
    "wet_experiment": wet.generate,
    "dry_experiment": dry.generate,
    "deep_research": research.generate,
    "idea_generation": ideas.generate,
    "experimental_reasoning": reasoning.generate,
}
"""Of each family: root seed, index and level (null: the index decides) to an item."""

SHOWN: Mapping[Family, tuple[str, ...]] = {
    "wet_experiment": ("question", "action_pool"),
    "dry_experiment": ("question", "data_code", "incomplete_main_code", "incomplete_functions"),
    "deep_research": ("question",),
    "idea_generation": ("question",),
    "experimental_reasoning": ("question", "options"),
}
"""The columns that a model is given."""

TYPES: Mapping[Family, str] = {
    "wet_experiment": "direction",
    "dry_experiment": "function_type",
    "deep_research": "type",
    "idea_generation": "direction",
    "experimental_reasoning": "type",
}
"""The column that is the type of an item, for the tables."""


def generate(family: Family, root: int, index: int, level: int | None = None) -> Row:
    """One item."""
    return GENERATORS[family](root, index, level)


def pictures_of(family: Family, row: Row) -> dict[str, bytes]:
    """The PNG files of an item's `images`, by name; of most families there are none."""
    if family != "experimental_reasoning":
        return {}
    return dict(zip(row["images"], pictures(row), strict=True))


def item_of(task: Task) -> Row:
    """The whole item of a task."""
    return {**task.public["columns"], **task.hidden}
