"""The columns: each agent's headline values by family and profile, with bootstrap intervals over items."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import Any

import pandas as pd

from assay.numbers import rng
from assay.numbers.stats import bootstrap_interval
from assay.protocol import Tables
from assay.suites.sgi.families import FAMILIES, HEADLINE_ARMS
from assay.suites.sgi.frame.tasks import GENERATION
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import frame, strata

RESAMPLES = 10_000

COLUMNS = Schema(
    "columns",
    1,
    (
        Column("agent", "string", "who answered"),
        Column("task_set", "string", "the items"),
        Column("family", "string", "the family, which is the column"),
        Column("profile", "string", "the scoring profile; `default` is the objective one"),
        Column("n", "int64", "items, each counted whatever became of it"),
        Column("mean", "float64", "mean headline value; null if one is missing", nullable=True, unit="%"),
        Column(
            "low", "float64", "lower end of the 95 % bootstrap interval over items", nullable=True, unit="%"
        ),
        Column("high", "float64", "upper end", nullable=True, unit="%"),
        Column("privileged", "bool", "whether the agent was told the truth"),
    ),
    key=("agent", "task_set", "family", "profile"),
    partition="agent",
    doc="One row an agent, a set and a profile: the mean over items of the column's headline value.",
)


def final_values(tables: Tables, metric: str) -> dict[tuple[str, str, str], dict[str, list[float | None]]]:
    """(agent, set, profile) -> item -> the values of one metric in its attempts, null where missing."""
    scores = tables["scores"]
    rows = scores[(scores["metric"] == metric) & scores["step"].isna()]
    found: dict[tuple[str, str, str], dict[str, list[float | None]]] = defaultdict(lambda: defaultdict(list))
    for row in rows.itertuples():
        value = None if pd.isna(row.value) else float(row.value)
        found[row.agent, row.task_set, row.profile][row.task_id].append(value)
    return found


def headline_sets(tables: Tables, generation: str | None = None) -> dict[str, str]:
    """Return the set that each family is ranked by: the largest, and of equal ones the last by name.

    Sets of an arm that is not the benchmark are none. Numbers of v0 and v1 never stand side by side: sets of
    v1 count once every family has one. Another generation counts only where it is asked for.
    """
    every: dict[str, dict[str, Counter[str]]] = {}
    for (task_set, _), own in sorted(strata(tables).items()):
        if own.get("arm") == HEADLINE_ARMS.get(own["family"]) or "generation" in own:
            of_generation = every.setdefault(own.get("generation", ""), defaultdict(Counter))
            of_generation[own["family"]][task_set] += 1
    if generation is not None:
        every = {"": every.get(generation, {})}
    complete = set(every.get(GENERATION, {})) >= set(FAMILIES)
    items = every.get(GENERATION if complete or "" not in every else "", {})
    return {family: max(sets, key=lambda name: (sets[name], name)) for family, sets in items.items()}


def privileged_agents(tables: Tables) -> set[str]:
    """Agents that were told the truth."""
    episodes = tables["episodes"]
    return set(episodes[episodes["privileged"]]["agent"])


def means(tables: Tables, metric: str, family: str, by: str = "family") -> dict[str, dict[str, float]]:
    """Stratum -> agent -> mean of a metric, over the items of a family's headline set with that stratum.

    In the default profile; an attempt without a value does not count.
    """
    levels, wanted = strata(tables), headline_sets(tables).get(family)
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (agent, task_set, profile), items in sorted(final_values(tables, metric).items()):
        if (task_set, profile) != (wanted, "default"):
            continue
        for task_id, found in sorted(items.items()):
            own = levels[task_set, task_id]
            values[own[by]][agent] += [value for value in found if value is not None]
    return {
        stratum: {agent: math.fsum(found) / len(found) for agent, found in sorted(own.items()) if found}
        for stratum, own in sorted(values.items())
    }


def columns(tables: Tables) -> Any:
    """The table `columns`."""
    levels, told = strata(tables), privileged_agents(tables)
    rows = []
    for (agent, task_set, profile), items in sorted(final_values(tables, "score").items()):
        by_family: dict[str, list[float | None]] = defaultdict(list)
        for task_id, values in sorted(items.items()):
            known = [value for value in values if value is not None]
            whole = math.fsum(known) / len(known) if len(known) == len(values) else None
            by_family[levels[task_set, task_id]["family"]].append(whole)
        for family, found in sorted(by_family.items()):
            rows.append(
                (agent, task_set, family, profile, len(found), *interval(found, family), agent in told)
            )
    return frame(sorted(rows, key=lambda row: row[:4]), COLUMNS)


def interval(values: list[float | None], *names: str) -> tuple[float | None, float | None, float | None]:
    """Mean and 95 % bootstrap interval over items; null where a value is missing, ends null for one item.

    Every agent of a family is resampled alike, so that equal values have equal intervals.
    """
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return None, None, None
    mean = math.fsum(known) / len(known)
    if len(known) < 2:
        return mean, None, None
    low, high = bootstrap_interval(known, rng.stream(0, "sgi", "columns", *names), RESAMPLES)
    return mean, low, high
