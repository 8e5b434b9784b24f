"""Scopes of tables: each task set by itself, and the thirty tasks of the paper's evaluation together.

Other sets are not combined, because tasks of the same tier in two sets may ask for different answers.
"""

from __future__ import annotations

from typing import Any

from assay import canonical
from assay.protocol import Tables

FROZEN_30 = "frozen-30"
PARTS = ("core-v0", "l2-v0", "l3-v0")
"""The sets of the paper's evaluation, with ten tasks per tier."""

TIERS = ("L1", "L2", "L3")
ALL = "all"
"""The name under which all tiers are combined."""

Task = tuple[str, str]
"""The set and the id of a task."""


def scopes(tables: Tables) -> dict[str, list[Task]]:
    """Return the tasks of each scope in order."""
    tasks: dict[str, list[Task]] = {}
    for row in tables["tasks"].itertuples(index=False):
        tasks.setdefault(row.task_set, []).append((row.task_set, row.task_id))
    if all(part in tasks for part in PARTS):
        tasks[FROZEN_30] = [task for part in PARTS for task in tasks[part]]
    return dict(sorted(tasks.items()))


def scopes_of(tables: Tables) -> dict[Task, tuple[str, ...]]:
    """Return the scopes to which each task belongs."""
    by_task: dict[Task, tuple[str, ...]] = {}
    for scope, tasks in scopes(tables).items():
        for task in tasks:
            by_task[task] = (*by_task.get(task, ()), scope)
    return by_task


def headline(tables: Tables) -> str:
    """Return the scope for figures: the thirty tasks, or else the first set with the paper's question."""
    known = scopes(tables)
    if FROZEN_30 in known:
        return FROZEN_30
    for row in tables["tasks"].itertuples(index=False):
        public: Any = canonical.loads(row.public)
        if public["tier"] in TIERS and "variant" not in public:
            return str(row.task_set)
    return next(iter(known))
