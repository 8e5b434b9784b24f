"""What knowing the family of a mechanism is worth: all agents beside the solver that knows each family."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

from assay.numbers import rng
from assay.numbers.stats import bootstrap_interval
from assay.protocol import Tables
from assay.suites.causalab.tables.leaderboard import AGENT, NODES, SETTING, number_column
from assay.suites.causalab.tables.played import played
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import frame, mean

KNOWING = "aware"
"""The solver that reads the family from the brief and infers as it needs."""

SET = "beyond-v1"

METRICS = ("score", "edge_f1", "shd", "solved", "freq_weight_quad")

BEYOND = Schema(
    "beyond",
    1,
    (
        AGENT,
        SETTING,
        NODES,
        Column("tasks", "int64", "tasks with a score; attempts at one task are averaged"),
        number_column("score", "mean score"),
        number_column("edge_f1", "mean F1 of all edges"),
        number_column("shd", "mean structural Hamming distance", "edges"),
        number_column("solved", "share of accepted predictions"),
        number_column("freq_weight_quad", "mean F1 of all weights of the frequency, within one per cent"),
        number_column("knowing", f"mean score of `{KNOWING}`, who knows the family, less the agent's"),
        number_column("knowing_low", "lower end of its 95 % bootstrap interval, paired over tasks"),
        number_column("knowing_high", "upper end"),
    ),
    key=("agent", "setting", "nodes"),
    partition="agent",
    doc="Every agent in the settings beyond the paper's families, and what knowing the family is worth.",
)


def beyond(tables: Tables) -> Any:
    """Return the table `beyond`; it is empty if nobody played the set."""
    attempts: dict[tuple[str, str, int], dict[str, dict[str, list[float]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    for episode in played(tables, *METRICS):
        if episode.task_set == SET:
            of_task = attempts[episode.agent, episode.setting, episode.nodes][episode.task_id]
            for metric, value in episode.values.items():
                of_task[metric].append(value)
    rows = []
    for key in sorted(attempts):
        values = {
            metric: {
                task: math.fsum(by_metric[metric]) / len(by_metric[metric])
                for task, by_metric in sorted(attempts[key].items())
                if metric in by_metric
            }
            for metric in METRICS
        }
        known = attempts.get((KNOWING, *key[1:]), {})
        differences = [
            math.fsum(known[task]["score"]) / len(known[task]["score"]) - score
            for task, score in values["score"].items()
            if task in known and key[0] != KNOWING
        ]
        means = (mean(list(values[metric].values())) for metric in METRICS)
        rows.append((*key, len(values["score"]), *means, mean(differences), *_interval(differences, key)))
    return frame(rows, BEYOND)


def _interval(differences: list[float], key: tuple[Any, ...]) -> tuple[float | None, float | None]:
    """Return the 95 % bootstrap interval of a mean, which needs two values."""
    if len(differences) < 2:
        return None, None
    return bootstrap_interval(differences, rng.stream(0, "causalab", "beyond", *key))
