"""The tables of the paper: the printed rows, and our agents' results under the same labels."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

from assay import canonical
from assay.protocol import Tables
from assay.suites.causalab.tables.leaderboard import (
    AGENT,
    BOUNDED,
    ENDS,
    NODES,
    number_column,
    standings,
)
from assay.suites.causalab.tables.played import cells, played
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import frame, mean

MEANS = (
    number_column("solved", "task accuracy", "%"),
    number_column("root_f1", "root F1"),
    number_column("edge_precision", "precision of all edges"),
    number_column("edge_recall", "recall of all edges"),
    number_column("edge_f1", "F1 of all edges"),
    number_column("shd", "structural Hamming distance", "edges"),
    number_column("freq_edge_f1", "F1 of the edges into the frequency"),
    number_column("freq_weight_f1", "F1 of its weights"),
)
SHOWN = tuple(column.name for column in MEANS)
PRINTED = ("accuracy", *SHOWN[1:])

SOURCES = {"": "ours", "released-": "released"}
"""Whose graphs a row is about, by what precedes the name of the paper's setting."""

SOURCE = "paper, ours (other graphs of the same families), or released (our agents on the paper's graphs)"

PAPER = Schema(
    "paper",
    2,
    (
        Column("table", "string", "the paper's table, e.g. 07"),
        Column("position", "int64", "the row's place in it"),
        Column("source", "string", SOURCE),
        AGENT,
        Column("block", "string", "the block that the row stands in; empty without one"),
        Column("label", "string", "the row's label, as printed"),
        NODES,
        Column("rows", "int64", "episodes"),
        *MEANS,
        number_column("solved_solvable", "ours: task accuracy over episodes that can be solved", "%"),
        *ENDS,
    ),
    key=("table", "position", "source", "agent"),
    doc="Tables 3 to 7 and 9 to 12 of the paper. Ours are other graphs of the same families.",
)


def paper(tables: Tables) -> Any:
    """Return the table `paper`, which is empty if no rows of the paper are available."""
    ours = standings(tables)
    rows: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for published in tables["published"]:
        for row in published["rows"]:
            table = f"{int(row['table']):02d}"
            place = (table, row["position"])
            shared = (row["block"], row["label"], row["nodes"])
            numbers = (*(row[name] for name in PRINTED), None, *[None] * (2 * len(BOUNDED)))
            rows[*place, "paper", row["model"]] = (*shared, row["rows"], *numbers)
            for (agent, setting, nodes), standing in ours.items():
                source = SOURCES.get(setting.removesuffix(row["setting"]))
                if source is not None and nodes == row["nodes"]:
                    means = (*(standing.means[m] for m in SHOWN), standing.means["solved_solvable"])
                    rows[*place, source, agent] = (*shared, standing.rows, *means, *standing.ends)
    return frame(((*key, *rows[key]) for key in sorted(rows)), PAPER)


STATISTICS = Schema(
    "statistics",
    1,
    (
        NODES,
        Column("source", "string", "paper, ours (main-v0), a sealed set, or a set of released files"),
        Column("graphs", "int64", "graphs"),
        Column("edge_mean", "float64", "mean number of edges"),
        Column("edge_variance", "float64", "its variance over the graphs"),
        Column("fork_mean", "float64", "mean number of forks, shielded or not"),
        Column("collider_mean", "float64", "mean number of colliders, shielded or not"),
    ),
    key=("nodes", "source"),
    doc="Table 1 of the paper, and the same of our main set.",
)


def statistics(tables: Tables) -> Any:
    """Return the table `statistics` about the graphs of the main setting in every set."""
    sizes, sources = {}, {}
    for task, (setting, size) in cells(tables).items():
        if setting in ("main", "sealed-main", "released-main"):
            sizes[task] = size
            sources[task] = f"released: {task[0]}" if setting == "released-main" else task[0]
    counted: dict[tuple[int, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in tables["calibration"].itertuples(index=False):
        nodes = sizes.get((row.task_set, row.task_id))
        if nodes is not None and row.measure in ("edges", "forks", "colliders"):
            source = "ours" if row.task_set == "main-v0" else sources[row.task_set, row.task_id]
            counted[nodes, source][row.measure].append(row.value)
    rows = []
    for (nodes, source), columns in counted.items():
        edges, n = columns["edges"], len(columns["edges"])
        middle = math.fsum(edges) / n
        variance = math.fsum((e - middle) ** 2 for e in edges) / n
        rows.append((nodes, source, n, middle, variance, mean(columns["forks"]), mean(columns["colliders"])))
    for published in tables["published"]:
        for row in published["statistics"]:
            numbers = (row["edges"], row["variance"], row["forks"], row["colliders"])
            rows.append((row["nodes"], "paper", row["graphs"], *numbers))
    return frame(sorted(rows), STATISTICS)


STRUCTURES = Schema(
    "structures",
    1,
    (
        NODES,
        Column("source", "string", SOURCE),
        AGENT,
        Column("rows", "int64", "episodes"),
        Column("imec", "float64", "mean number of graphs left at the end (paper: final IMEC)"),
    ),
    key=("nodes", "source", "agent"),
    doc="Table 8 of the paper, which defines IMEC in words only, beside `imec_data` of our agents.",
)


def structures(tables: Tables) -> Any:
    """Return the table `structures` for the main setting with 3 and 4 variables."""
    rows = []
    for (agent, setting, nodes), standing in standings(tables).items():
        left = standing.means["imec_data"]
        source = SOURCES.get(setting.removesuffix("main"))
        if source is not None and nodes <= 4 and left is not None:
            rows.append((nodes, source, agent, standing.rows, left))
    for published in tables["published"]:
        rows += [(row["nodes"], "paper", row["model"], 50, row["imec"]) for row in published["imec"]]
    return frame(sorted(rows), STRUCTURES)


VERIFICATION = Schema(
    "verification",
    1,
    (
        Column("source", "string", "paper or ours"),
        AGENT,
        Column("rows", "int64", "episodes with the check"),
        Column("without", "float64", "task accuracy without a check of the equation", unit="%"),
        Column("with_check", "float64", "task accuracy with it", unit="%"),
        Column("gain", "float64", "the difference, over equal graphs", unit="points"),
    ),
    key=("source", "agent"),
    doc="What one check of the equation before the reactor is opened is worth (4 variables).",
)


def verification(tables: Tables) -> Any:
    """Return the table `verification` over the graphs that were played both with and without a check."""
    solved: dict[str, dict[str, dict[str, list[float]]]] = defaultdict(lambda: defaultdict(dict))
    graph = {
        (row.task_set, row.task_id): canonical.loads(row.hidden)["model"]["graph_id"]
        for row in tables["tasks"].itertuples(index=False)
    }
    for episode in played(tables, "solved"):
        if episode.nodes == 4 and episode.setting in ("main", "intercept") and episode.values:
            of_graphs = solved[episode.agent][episode.setting]
            of_graphs.setdefault(graph[episode.task_set, episode.task_id], []).append(
                episode.values["solved"]
            )
    rows = []
    for agent, by_setting in solved.items():
        both = sorted(set(by_setting["main"]) & set(by_setting["intercept"]))
        if both:
            without = 100 * math.fsum(mean(by_setting["main"][g]) or 0 for g in both) / len(both)
            with_check = 100 * math.fsum(mean(by_setting["intercept"][g]) or 0 for g in both) / len(both)
            rows.append(("ours", agent, len(both), without, with_check, with_check - without))
    for published in tables["published"]:
        check = published["verification"]
        rows.append(
            ("paper", check["model"], 50, check["without"], check["with"], check["with"] - check["without"])
        )
    return frame(sorted(rows), VERIFICATION)
