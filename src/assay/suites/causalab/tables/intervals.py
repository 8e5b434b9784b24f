"""Means of every setting with bootstrap intervals, and differences to a baseline on the same graphs."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

from assay import canonical
from assay.numbers import rng
from assay.numbers.stats import bootstrap_interval
from assay.protocol import Tables
from assay.suites.causalab.tables.leaderboard import AGENT, NODES, SETTING, number_column
from assay.suites.causalab.tables.played import played
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import frame, mean

METRICS = ("solved", "edge_f1", "root_f1", "freq_edge_f1", "freq_weight_f1", "shd")

BASELINES = ("sealed-baseline", "sealed-continuous", "sealed-3o24i", "sealed-5o20i")
"""Settings to which the others of the same set and size are compared on the same graphs: the main setting of
the follow-ups and of the set beyond the paper's families, and the regime with most records and interventions.
"""

INTERVALS = Schema(
    "intervals",
    1,
    (
        AGENT,
        Column("task_set", "string", "the set, since settings of different sets have different graphs"),
        SETTING,
        NODES,
        Column("metric", "string", "the metric"),
        Column("graphs", "int64", "graphs with a value; attempts at one graph are averaged"),
        Column("mean", "float64", "mean over graphs"),
        number_column("low", "lower end of its 95 % bootstrap interval"),
        number_column("high", "upper end"),
        Column("baseline", "string", "the setting compared with, on the same graphs; empty for none"),
        Column("pairs", "int64", "graphs with a value in both settings"),
        number_column("difference", "mean over these graphs of the value less that in the baseline"),
        number_column("difference_low", "lower end of its paired 95 % bootstrap interval"),
        number_column("difference_high", "upper end"),
    ),
    key=("agent", "task_set", "setting", "nodes", "metric"),
    partition="agent",
    doc="Every agent in every setting with intervals over graphs, and differences on equal graphs.",
)

Values = dict[str, float]
"""The mean of a metric over the attempts at each graph."""


def intervals(tables: Tables) -> Any:
    graphs = _graphs(tables)
    attempts: dict[tuple[Any, ...], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for episode in played(tables, *METRICS):
        place = (episode.agent, episode.task_set, episode.setting, episode.nodes)
        for metric, value in episode.values.items():
            attempts[*place, metric][graphs[episode.task_set, episode.task_id]].append(value)
    values = {
        key: {graph: math.fsum(found) / len(found) for graph, found in sorted(by_graph.items())}
        for key, by_graph in attempts.items()
    }
    return frame([(*key, *_row(key, values)) for key in sorted(values)], INTERVALS)


def _graphs(tables: Tables) -> dict[tuple[str, str], str]:
    """Return the name of each task's graph, which settings of one set and size share."""
    return {
        (row.task_set, row.task_id): canonical.loads(row.hidden)["model"]["graph_id"].rpartition("_")[2]
        for row in tables["tasks"].itertuples(index=False)
    }


def _row(key: tuple[Any, ...], values: dict[tuple[Any, ...], Values]) -> tuple[Any, ...]:
    agent, task_set, setting, nodes, metric = key
    own = values[key]
    low, high = _interval(list(own.values()), key)
    base = next(
        (name for name in BASELINES if name != setting and (agent, task_set, name, nodes, metric) in values),
        "",
    )
    if not base:
        return len(own), mean(list(own.values())), low, high, "", 0, None, None, None
    other = values[agent, task_set, base, nodes, metric]
    differences = [own[graph] - other[graph] for graph in own if graph in other]
    paired = _interval(differences, (*key, base))
    return (
        *(len(own), mean(list(own.values())), low, high),
        *(base, len(differences), mean(differences), *paired),
    )


def _interval(values: list[float], key: tuple[Any, ...]) -> tuple[float | None, float | None]:
    """Return the 95 % bootstrap interval of a mean; None for fewer than two values."""
    if len(values) < 2:
        return None, None
    return bootstrap_interval(values, rng.stream(0, "causalab", "intervals", *key))
