"""How agents did, setting by setting: what the tables and figures of the paper are made of."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.protocol import Tables
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import final, frame, mean, strata

METRICS = (
    "solved",
    "solvable",
    "solved_solvable",
    "root_f1",
    "edge_precision",
    "edge_recall",
    "edge_f1",
    "shd",
    "freq_edge_f1",
    "freq_weight_f1",
    "freq_weight_quad",
    "imec_data",
    "interventions",
    "budget_used",
    "consistent",
)
"""The metrics of `Standing`, as scoring names them."""

PERCENT = frozenset({"solved", "solvable", "solved_solvable"})

AGENT = Column("agent", "string", "who played")
SETTING = Column("setting", "string", "the setting: a suite's name, or a regime such as 3o6i")
NODES = Column("nodes", "int64", "variables of the model, the frequency included")


def _number(name: str, doc: str, unit: str = "") -> Column:
    return Column(name, "float64", doc, nullable=True, unit=unit)


RECOVERY = Schema(
    "recovery",
    1,
    (
        AGENT,
        SETTING,
        NODES,
        Column("privileged", "bool", "whether the agent was told the truth"),
        Column("rows", "int64", "episodes with a score"),
        _number("solved", "task accuracy: accepted predictions", "%"),
        _number("solvable", "episodes in which any prediction could be accepted", "%"),
        _number("solved_solvable", "task accuracy over those", "%"),
        _number("root_f1", "mean F1 of the roots"),
        _number("edge_precision", "mean precision of all edges"),
        _number("edge_recall", "mean recall of all edges"),
        _number("edge_f1", "mean F1 of all edges"),
        _number("shd", "mean structural Hamming distance", "edges"),
        _number("freq_edge_f1", "mean F1 of the edges into the frequency"),
        _number("freq_weight_f1", "mean F1 of its linear weights"),
        _number("freq_weight_quad", "mean F1 of all its weights, within one per cent"),
        _number("imec_data", "mean number of graphs that the evidence leaves"),
        _number("interventions", "mean number of interventions"),
        _number("budget_used", "mean share of the budget"),
        _number("consistent", "share of final equations that contradict nothing seen"),
    ),
    key=("agent", "setting", "nodes"),
    partition="agent",
    doc="Every agent in every setting and size: means over episodes, what is missing left out.",
)

Place = tuple[str, str, int]
"""Agent, setting, nodes."""


@dataclass(frozen=True)
class Standing:
    """One agent in one setting and size: number of episodes and means (accuracies in per cent)."""

    agent: str
    setting: str
    nodes: int
    privileged: bool
    rows: int
    means: Mapping[str, float | None]


def recovery(tables: Tables) -> Any:
    rows = [
        (s.agent, s.setting, s.nodes, s.privileged, s.rows, *(s.means[metric] for metric in METRICS))
        for s in standings(tables).values()
    ]
    return frame(rows, RECOVERY)


def standings(tables: Tables) -> dict[Place, Standing]:
    """All standings, in ascending order of agent, setting and size."""
    places = cells(tables)
    values: dict[Place, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in final(tables, *METRICS):
        setting, nodes = places[row.task_set, row.task_id]
        if not math.isnan(row.value):
            values[row.agent, setting, nodes][row.metric].append(row.value)
        else:
            values[row.agent, setting, nodes][row.metric] += []
    episodes = tables["episodes"]
    told = dict(zip(episodes["agent"], episodes["privileged"], strict=True))
    found = {}
    for place in sorted(values):
        means = {metric: mean(values[place].get(metric, [])) for metric in METRICS}
        for metric in PERCENT:
            if (value := means[metric]) is not None:
                means[metric] = 100 * value
        found[place] = Standing(*place, bool(told[place[0]]), len(values[place]["solved"]), means)
    return found


def cells(tables: Tables) -> dict[tuple[str, str], tuple[str, int]]:
    """The setting and the size of each task."""
    return {task: (found["setting"], int(found["nodes"])) for task, found in strata(tables).items()}
