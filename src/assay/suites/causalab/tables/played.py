"""The final metrics of each episode with its setting and size, from which most tables of the suite begin."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from assay.protocol import Tables
from assay.tables.tabulation import final, strata


class Played(NamedTuple):
    """One episode.

    Attributes:
        agent: Who played.
        task_set: The set.
        task_id: The task.
        attempt: The number of the attempt.
        setting: The setting of the task.
        nodes: The number of variables.
        values: The metrics that have a value.
    """

    agent: str
    task_set: str
    task_id: str
    attempt: int
    setting: str
    nodes: int
    values: dict[str, float]


def cells(tables: Tables) -> dict[tuple[str, str], tuple[str, int]]:
    """Return the setting and the number of variables of each task."""
    return {task: (levels["setting"], int(levels["nodes"])) for task, levels in strata(tables).items()}


def played(tables: Tables, *metrics: str) -> Iterator[Played]:
    """Yield every episode with these of its metrics, sorted by agent, set, task and attempt."""
    episodes: dict[tuple[str, str, str, int], dict[str, float]] = {}
    for row in final(tables, *metrics):
        values = episodes.setdefault((row.agent, row.task_set, row.task_id, int(row.attempt)), {})
        if not math.isnan(row.value):
            values[row.metric] = row.value
    places = cells(tables)
    for agent, task_set, task_id, attempt in sorted(episodes):
        setting, nodes = places[task_set, task_id]
        values = episodes[agent, task_set, task_id, attempt]
        yield Played(agent, task_set, task_id, attempt, setting, nodes, values)
