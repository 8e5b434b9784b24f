"""The two profiles of the prompt, ours and the paper's, beside each other on the same graphs."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import pandas as pd

from assay import canonical
from assay.numbers import rng
from assay.numbers.stats import bootstrap_interval
from assay.protocol import Tables
from assay.suites.causalab.tables.leaderboard import AGENT, NODES, SETTING, number_column
from assay.suites.causalab.tables.paper import MEANS
from assay.suites.causalab.tables.played import cells
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import frame, mean

OURS = "sealed-embodied"
"""The setting of our profile that has the graphs of the paper's."""

PAPER = "sealed-prompt-"
"""Beginning of the names of the settings with these graphs and the paper's profile."""

SETTINGS = (PAPER, "logged-", OURS)
"""How the names of settings begin in which profiles are compared."""

READINGS = {"default": "logged", "elicited": "elicited"}
"""Where graph and roots are read, by the profile of the scores: in the log, or in answers at the end."""

SHOWN = tuple(column.name for column in MEANS)

PROMPTS = Schema(
    "prompts",
    1,
    (
        AGENT,
        Column("task_set", "string", "the set"),
        SETTING,
        NODES,
        Column("profile", "string", "the profile of the prompt: ours, or paper (its appendix A.4)"),
        Column("reading", "string", "graph and roots: logged, or elicited after the episode"),
        Column("rows", "int64", "episodes"),
        *MEANS,
        number_column("edge_f1_low", "lower end of the 95 % bootstrap interval of the F1 of all edges"),
        number_column("edge_f1_high", "upper end"),
        Column("pairs", "int64", "graphs that the agent also played with our prompts"),
        number_column("difference", "mean over these graphs of the F1 less that with our prompts, as logged"),
        number_column("difference_low", "lower end of its paired 95 % bootstrap interval"),
        number_column("difference_high", "upper end"),
    ),
    key=("agent", "task_set", "setting", "nodes", "profile", "reading"),
    partition="agent",
    doc="Agents under our prompts and under those of the paper's appendix A.4, never pooled.",
)

Place = tuple[Any, ...]
"""The key of the table."""

Values = dict[str, dict[str, list[float]]]
"""The values of the attempts at each graph, by metric and name of the graph."""


def prompts(tables: Tables) -> Any:
    """Return the table `prompts`."""
    places, tasks = cells(tables), {}
    for row in tables["tasks"].itertuples(index=False):
        task = (row.task_set, row.task_id)
        if places[task][0].startswith(SETTINGS):
            profile = canonical.loads(row.public)["conditions"].get("profile", "ours")
            graph = canonical.loads(row.hidden)["model"]["graph_id"].rpartition("_")[2]
            tasks[task] = (*places[task], profile), graph
    values: dict[Place, Values] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    scores = tables["scores"]
    wanted = scores["metric"].isin(SHOWN) & scores["profile"].isin(list(READINGS)) & scores["step"].isna()
    for row in scores[wanted].itertuples(index=False):
        task = (row.task_set, row.task_id)
        if task in tasks and not pd.isna(row.value):
            (setting, nodes, profile), graph = tasks[task]
            place = (row.agent, row.task_set, setting, nodes, profile, READINGS[row.profile])
            values[place][row.metric][graph].append(row.value)
    return frame([(*place, *_row(place, values)) for place in sorted(values)], PROMPTS)


def _row(place: Place, values: dict[Place, Values]) -> tuple[Any, ...]:
    """Return the columns after the place; accuracy does not depend on how a graph is read."""
    own = values[place]
    logged = values.get((*place[:-1], "logged"), own)
    means = {metric: mean(_all((logged if metric == "solved" else own)[metric])) for metric in SHOWN}
    if means["solved"] is not None:
        means["solved"] *= 100
    reached = _all(own["edge_f1"])
    ours = next((v for key, v in values.items() if _is_baseline(key, place)), None)
    differences = [
        (math.fsum(own["edge_f1"][graph]) / len(own["edge_f1"][graph]))
        - (math.fsum(ours["edge_f1"][graph]) / len(ours["edge_f1"][graph]))
        for graph in sorted(own["edge_f1"])
        if ours is not None and graph in ours["edge_f1"]
    ]
    return (
        *(len(reached), *means.values(), *_interval(reached, place)),
        *(len(differences), mean(differences), *_interval(differences, (*place, OURS))),
    )


def _is_baseline(key: Place, place: Place) -> bool:
    """Tell whether a key is that of our profile for the same agent and size, as logged."""
    agent, _, setting, nodes, _, reading = key
    same = (agent, setting, nodes, reading) == (place[0], OURS, place[3], "logged")
    return same and place[2].startswith(PAPER)


def _all(by_graph: dict[str, list[float]]) -> list[float]:
    return [value for graph in sorted(by_graph) for value in by_graph[graph]]


def _interval(values: Sequence[float], place: Place) -> tuple[float | None, float | None]:
    if len(values) < 2:
        return None, None
    return bootstrap_interval(values, rng.stream(0, "causalab", "prompts", *place))
