"""Gains of two extensions of the paper: power from pairing, fewer imitators if all metrics are compared."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from assay.protocol import Tables
from assay.suites.petri.tables.failures import measured
from assay.suites.petri.tables.leaderboard import SCOPE
from assay.suites.petri.tables.scopes import Task, scopes
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import frame, mean, strata

PAIRING = Schema(
    "pairing",
    1,
    (
        SCOPE,
        Column("world", "string", "the world"),
        Column("tasks", "int64", "tasks on which experiments may be paired"),
        Column("power", "float64", "mean oracle power with the unpaired test"),
        Column("power_paired", "float64", "mean oracle power with the paired test"),
        Column("gain", "float64", "their difference: positive where pairing helps"),
    ),
    key=("scope", "world"),
    doc="The measured gain of the paired design; without rows where no set offers it.",
)


IMITATORS = Schema(
    "imitators",
    1,
    (
        SCOPE,
        Column("world", "string", "the world"),
        Column("tasks", "int64", "tasks that ask for a signature"),
        Column("on_target", "float64", "mean number of wrong candidates that can imitate the target"),
        Column("on_vector", "float64", "mean number of those that can imitate all of its metrics"),
    ),
    key=("scope", "world"),
    doc="Output matching, and what is left of it when the whole metric vector must match.",
)


def imitators(tables: Tables) -> Any:
    """Return the table `imitators`, which is empty if no set asks for signatures."""
    counts = [measured(tables, f"imitators_{name}") for name in ("on_target", "on_vector")]
    rows = [
        (scope, world, len(tasks), *(mean([of_task[task] for task in tasks]) for of_task in counts))
        for scope, world, tasks in _by_world(tables, counts[0])
    ]
    return frame(rows, IMITATORS)


def _by_world(tables: Tables, known: Mapping[Task, float]) -> Iterator[tuple[str, str, list[Task]]]:
    """Yield scope, world and the world's tasks that are keys of `known`."""
    levels = strata(tables)
    for scope, tasks in scopes(tables).items():
        for world in sorted({levels[task]["world"] for task in tasks if task in known}):
            yield scope, world, [task for task in tasks if task in known and levels[task]["world"] == world]


def pairing(tables: Tables) -> Any:
    plain, paired = measured(tables, "oracle_power"), measured(tables, "oracle_power_paired")
    rows = []
    for scope, world, tasks in _by_world(tables, paired):
        before, after = (math.fsum(power[task] for task in tasks) / len(tasks) for power in (plain, paired))
        rows.append((scope, world, len(tasks), before, after, after - before))
    return frame(rows, PAIRING)
