"""What the designs beyond the paper gain: power by pairing, and fewer imitators by looking at all metrics."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from assay.protocol import Tables
from assay.suites.petri.tables.failures import measured
from assay.suites.petri.tables.leaderboard import SCOPE
from assay.suites.petri.tables.scopes import Task, scopes
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import mean, strata

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
    """The table `imitators`; without rows where no set asks for signatures."""
    found = {name: measured(tables, f"imitators_{name}") for name in ("on_target", "on_vector")}
    rows = []
    for scope, world, own in _by_world(tables, found["on_target"]):
        means = [mean([found[name][task] for task in own]) for name in ("on_target", "on_vector")]
        rows.append((scope, world, len(own), *means))
    return pd.DataFrame(rows, columns=list(IMITATORS.names))


def _by_world(tables: Tables, known: Mapping[Task, float]) -> Iterator[tuple[str, str, list[Task]]]:
    """Scope, world and those of its tasks for which something is known."""
    levels = strata(tables)
    for scope, tasks in scopes(tables).items():
        for world in sorted({levels[task]["world"] for task in tasks if task in known}):
            yield scope, world, [task for task in tasks if task in known and levels[task]["world"] == world]


def pairing(tables: Tables) -> Any:
    plain, paired = measured(tables, "oracle_power"), measured(tables, "oracle_power_paired")
    rows = []
    for scope, world, own in _by_world(tables, paired):
        before = math.fsum(plain[task] for task in own) / len(own)
        after = math.fsum(paired[task] for task in own) / len(own)
        rows.append((scope, world, len(own), before, after, after - before))
    return pd.DataFrame(rows, columns=list(PAIRING.names))
