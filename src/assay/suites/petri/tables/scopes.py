"""Which tasks a table is about: each set by itself, and the paper's thirty together.

Sets are never pooled: tasks of one tier in two sets may ask for different things.
"""

from __future__ import annotations

from typing import Any

from assay import canonical
from assay.protocol import Tables

FROZEN_30 = "frozen-30"
PARTS = ("core-v0", "l2-v0", "l3-v0")
"""The sets of the paper's evaluation: ten tasks a tier."""

TIERS = ("L1", "L2", "L3")
ALL = "all"
"""The level that holds every tier."""

Task = tuple[str, str]
"""A task's set and id."""


def scopes(tables: Tables) -> dict[str, list[Task]]:
    """The tasks of each scope, in their order."""
    tasks: dict[str, list[Task]] = {}
    for row in tables["tasks"].itertuples(index=False):
        tasks.setdefault(row.task_set, []).append((row.task_set, row.task_id))
    if all(part in tasks for part in PARTS):
        tasks[FROZEN_30] = [task for part in PARTS for task in tasks[part]]
    return dict(sorted(tasks.items()))


def scopes_of(tables: Tables) -> dict[Task, tuple[str, ...]]:
    """The scopes that each task belongs to."""
    by_task: dict[Task, tuple[str, ...]] = {}
    for scope, tasks in scopes(tables).items():
        for task in tasks:
            by_task[task] = (*by_task.get(task, ()), scope)
    return by_task


def headline(tables: Tables) -> str:
    """The scope that figures show: the paper's thirty, else the first set that asks what the paper asks."""
    known = scopes(tables)
    if FROZEN_30 in known:
        return FROZEN_30
    for row in tables["tasks"].itertuples(index=False):
        public: Any = canonical.loads(row.public)
        if public["tier"] in TIERS and "variant" not in public:
            return str(row.task_set)
    return next(iter(known))
