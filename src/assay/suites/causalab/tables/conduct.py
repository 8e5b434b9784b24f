"""Tables about how agents worked: use of the budget, consistency at commitment, trajectories, flags."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

from assay.protocol import Tables
from assay.suites.causalab.tables.leaderboard import AGENT, NODES, SETTING
from assay.suites.causalab.tables.played import cells, played
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import flag_raised, frame, mean

COMMITMENT = Schema(
    "commitment",
    1,
    (
        AGENT,
        NODES,
        Column("outcome", "string", "success or failure of the prediction"),
        Column("rows", "int64", "episodes"),
        Column("budget_used", "float64", "mean share of the interventions", nullable=True),
        Column("unused", "float64", "mean share that was left", nullable=True),
        Column("inconsistent_share", "float64", "mean share of the evidence contradicted", nullable=True),
        Column("mean_abs_residual", "float64", "mean residual", nullable=True, unit="Hz"),
        Column("consistent", "float64", "share of equations that contradict nothing", nullable=True),
    ),
    key=("agent", "nodes", "outcome"),
    partition="agent",
    doc="Early commitment (Figure 14 of the paper): 4 to 6 variables, setting main, by outcome.",
)

MEASURED = ("budget_used", "inconsistent_share", "mean_abs_residual", "consistent")


def commitment(tables: Tables) -> Any:
    grouped: dict[tuple[str, int, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for episode in played(tables, "solved", *MEASURED):
        if episode.setting != "main" or episode.nodes not in (4, 5, 6) or "solved" not in episode.values:
            continue
        outcome = "success" if episode.values["solved"] else "failure"
        group = grouped[episode.agent, episode.nodes, outcome]
        group["rows"].append(1.0)
        for name in MEASURED:
            if name in episode.values:
                group[name].append(episode.values[name])
    rows = []
    for place in sorted(grouped):
        group = grouped[place]
        used = mean(group["budget_used"])
        rest = (mean(group[name]) for name in MEASURED[1:])
        rows.append((*place, len(group["rows"]), used, None if used is None else 1 - used, *rest))
    return frame(rows, COMMITMENT)


TRAJECTORIES = Schema(
    "trajectories",
    3,
    (
        AGENT,
        SETTING,
        NODES,
        Column("uses", "int64", "after so many interventions"),
        Column("rows", "int64", "episodes that came so far"),
        Column("edge_f1", "float64", "mean F1 of all edges (an empty hypothesis counts as 0)"),
        Column("freq_edge_f1", "float64", "mean F1 of the edges into the frequency"),
        Column(
            "weight_accuracy",
            "float64",
            "mean share of its linear weights within .01; null for hard quadratic models",
            nullable=True,
        ),
        Column("shd", "float64", "mean structural Hamming distance", unit="edges"),
        Column("imec_data", "float64", "mean number of graphs that the evidence leaves", nullable=True),
        Column(
            "imec_targets",
            "float64",
            "mean number that the intervened properties leave; null with cycles or latent causes",
            nullable=True,
        ),
    ),
    key=("agent", "setting", "nodes", "uses"),
    partition="agent",
    doc="Hypotheses along the way, intervention by intervention.",
)

ALONG = ("edge_f1", "freq_edge_f1", "weight_accuracy", "shd", "imec_data", "imec_targets")


def trajectories(tables: Tables) -> Any:
    places = cells(tables)
    rows = tables["scores"]
    rows = rows[(rows["profile"] == "default") & rows["step"].notna() & rows["metric"].isin(set(ALONG))]
    episodes: dict[tuple[Any, ...], dict[int, dict[str, float]]] = defaultdict(dict)
    for row in rows.itertuples(index=False):
        key = (row.agent, row.task_set, row.task_id, row.attempt)
        episodes[key].setdefault(int(row.step), {})[row.metric] = row.value
    values: dict[tuple[str, str, int, int], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (agent, task_set, task_id, _), steps in episodes.items():
        setting, nodes = places[task_set, task_id]
        for uses, step in enumerate(sorted(steps), 1):
            for metric, value in steps[step].items():
                if not math.isnan(value):
                    values[agent, setting, nodes, uses][metric].append(value)
    return frame(
        (
            (*key, len(values[key]["edge_f1"]), *(mean(values[key][metric]) for metric in ALONG))
            for key in sorted(values)
        ),
        TRAJECTORIES,
    )


FLAGGED = Schema(
    "flags",
    1,
    (
        AGENT,
        SETTING,
        Column("flag", "string", "a flag of the audit"),
        Column("decided", "int64", "episodes in which it was raised or not"),
        Column("raised", "int64", "episodes in which it was raised"),
    ),
    key=("agent", "setting", "flag"),
    partition="agent",
    doc="How often each flag was raised.",
)


def flags(tables: Tables) -> Any:
    places = cells(tables)
    counts: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0])
    for row in tables["audit"].itertuples(index=False):
        if (verdict := flag_raised(row)) is not None:
            count = counts[row.agent, places[row.task_set, row.task_id][0], row.flag]
            count[0] += 1
            count[1] += verdict
    return frame(((*key, *counts[key]) for key in sorted(counts)), FLAGGED)
