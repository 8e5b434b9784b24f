"""Intervals over graphs, and differences on equal graphs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
import pytest

from assay import canonical, plotting
from assay.protocol import Tables
from assay.suites.causalab.drawings.sealed import sealed
from assay.suites.causalab.tables.intervals import METRICS, intervals
from assay.suites.causalab.tables.leaderboard import recovery

GRAPHS = 12


def tables(values: Mapping[str, list[float]]) -> Tables:
    """An agent that scored these values in each setting, graph by graph, in an order of its own each time."""
    tasks, scores = [], []
    for n, (setting, of_graphs) in enumerate(values.items()):
        for at in range(len(of_graphs)):
            graph = (at * 5 + n) % len(of_graphs)
            name = f"{setting}-{at}"
            strata = {"setting": setting, "nodes": "4", "family": "linear"}
            hidden = {"model": {"graph_id": f"4nodes_{graph}"}}
            tasks.append(("variants-v1", name, canonical.dumps(strata), canonical.dumps(hidden)))
            for metric in METRICS:
                for attempt in (0, 1):
                    row = ("able", "variants-v1", name, attempt, "default", None, metric, of_graphs[graph])
                    scores.append(row)
    columns = ["agent", "task_set", "task_id", "attempt", "profile", "step", "metric", "value"]
    return {
        "tasks": pd.DataFrame(tasks, columns=["task_set", "task_id", "strata", "hidden"]),
        "scores": pd.DataFrame(scores, columns=columns),
    }


def row_of(table: Any, setting: str) -> Any:
    return table[(table["setting"] == setting) & (table["metric"] == "edge_f1")].iloc[0]


def test_a_constant_loss_is_told_exactly_although_graphs_differ_much() -> None:
    base = [n / GRAPHS for n in range(GRAPHS)]
    found = intervals(tables({"sealed-baseline": base, "sealed-hidden_n1": [v - 0.25 for v in base]}))
    row = row_of(found, "sealed-hidden_n1")
    assert (row.graphs, row.pairs, row.baseline) == (GRAPHS, GRAPHS, "sealed-baseline")
    ends = (row.difference, row.difference_low, row.difference_high)
    assert ends == pytest.approx((-0.25, -0.25, -0.25))
    assert row.high - row.low > 0.2, "the interval of the mean itself is wide"


def test_the_baseline_is_compared_with_nothing() -> None:
    row = row_of(intervals(tables({"sealed-baseline": [0.0, 1.0, 1.0]})), "sealed-baseline")
    assert (row.baseline, row.pairs, row["mean"]) == ("", 0, pytest.approx(2 / 3))
    assert math.isnan(row.difference) and row.low <= row["mean"] <= row.high


def test_one_graph_has_no_interval() -> None:
    row = row_of(intervals(tables({"sealed-baseline": [1.0], "sealed-golden": [0.5]})), "sealed-golden")
    assert math.isnan(row.low) and math.isnan(row.difference_low)
    assert row.difference == -0.5


def test_the_figure_is_drawn_with_and_without_results() -> None:
    for values in ({}, {"sealed-baseline": [0.5, 1.0], "sealed-golden": [0.5, 0.25]}):
        with plotting.style():
            assert sealed(tables(values)).axes


def test_the_table_recovery_has_intervals_of_its_means() -> None:
    every = tables({"main": [0.0, 1.0, 1.0, 0.5], "3o0i": [0.5] * 4})
    episodes = pd.DataFrame({"agent": ["able"], "privileged": [False]})
    table = recovery({**every, "episodes": episodes}).set_index("setting")
    for metric, scale in (("solved", 100), ("edge_f1", 1)):
        row = table.loc["main"]
        assert row[f"{metric}_low"] < row[metric] < row[f"{metric}_high"] <= scale
        constant = table.loc["3o0i"]
        assert constant[f"{metric}_low"] == constant[f"{metric}_high"] == pytest.approx(0.5 * scale)
