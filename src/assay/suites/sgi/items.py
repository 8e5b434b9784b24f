"""An item of any family: which of its columns are shown, and which is its type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.suites.sgi.families import Family
from assay.task import Task

Row = dict[str, Any]
"""An item in the released columns, with columns of ours (`x_...`)."""

SHOWN: Mapping[Family, tuple[str, ...]] = {
    "wet_experiment": ("question", "action_pool"),
    "dry_experiment": ("question", "data_code", "incomplete_main_code", "incomplete_functions"),
    "deep_research": ("question",),
    "idea_generation": ("question",),
    "experimental_reasoning": ("question", "options"),
    "investigation": ("question",),
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


def item_of(task: Task) -> Row:
    """The whole item of a task."""
    return {**task.public["columns"], **task.hidden}
