"""What agents leave behind in the sealed sets: regret, and where it comes from.

The F1 that an optimal agent reaches with the budget, less the F1 that an agent reaches, is its regret. It has
three parts: interventions that were not made, interventions that told less than the best ones would have, and
inferences that the agent's own data would have allowed (the yoked control).
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

from assay.numbers import rng
from assay.numbers.stats import bootstrap_interval
from assay.protocol import Tables
from assay.suites.causalab.tables.leaderboard import AGENT, SETTING, number_column
from assay.suites.causalab.tables.played import played
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import frame, mean

ALL = 0
"""In the column `nodes`: all sizes together."""

PARTS = ("regret", "stopping", "choosing", "inferring")

ATTAINABLE = Schema(
    "attainable",
    1,
    (
        AGENT,
        Column("task_set", "string", "the set"),
        SETTING,
        Column("nodes", "int64", "variables of the model, the frequency included; 0 for all sizes together"),
        Column("graphs", "int64", "graphs; attempts at one graph are averaged"),
        number_column("edge_f1", "mean F1 of all edges"),
        number_column("attainable_f1", "mean F1 of an optimal agent with the same budget, in fresh tasks"),
        number_column("yoked_f1", "mean F1 of the best inference from the agent's own data"),
        *(
            number_column(f"{part}{end}", f"{words}{of_end}")
            for part, words in (
                ("regret", "attainable F1 less F1"),
                ("stopping", "part of it due to interventions that were not made"),
                ("choosing", "part due to the choice of interventions: an optimal agent's F1 less yoked F1"),
                ("inferring", "part due to inference: yoked F1 less F1"),
            )
            for end, of_end in (
                ("", ""),
                ("_low", ", lower end of its 95 % bootstrap interval over graphs"),
                ("_high", ", upper end"),
            )
        ),
        number_column("information_share", "expected information as a share of the best possible"),
    ),
    key=("agent", "task_set", "setting", "nodes"),
    partition="agent",
    doc="Regret of every agent in the sealed sets, and where it comes from.",
)

METRICS = ("edge_f1", "attainable_f1", "attainable_used_f1", "yoked_f1", "regret", "information_share")


def attainable(tables: Tables) -> Any:
    """Return the table `attainable`, over the episodes for which the optimal score is known."""
    tasks: dict[tuple[Any, ...], dict[str, dict[str, list[float]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    for episode in played(tables, *METRICS):
        for size in (episode.nodes, ALL):
            place = (episode.agent, episode.task_set, episode.setting, size)
            for metric, value in episode.values.items():
                tasks[place][episode.task_id][metric].append(value)
    rows = []
    for key in sorted(tasks):
        episodes = [
            {metric: math.fsum(values) / len(values) for metric, values in by_metric.items()}
            for _, by_metric in sorted(tasks[key].items())
            if "regret" in by_metric
        ]
        if not episodes:
            continue
        for values in episodes:
            values["stopping"] = values["attainable_f1"] - values["attainable_used_f1"]
            values["choosing"] = values["attainable_used_f1"] - values["yoked_f1"]
            values["inferring"] = values["yoked_f1"] - values["edge_f1"]
        parts = [
            number
            for part in PARTS
            for number in _interval([values[part] for values in episodes], (*key, part))
        ]
        shares = [values["information_share"] for values in episodes if "information_share" in values]
        means = (mean([values[m] for values in episodes]) for m in ("edge_f1", "attainable_f1", "yoked_f1"))
        rows.append((*key, len(episodes), *means, *parts, mean(shares)))
    return frame(rows, ATTAINABLE)


def _interval(values: list[float], key: tuple[Any, ...]) -> tuple[float | None, ...]:
    """Return a mean with its 95 % bootstrap interval, which needs two values."""
    if len(values) < 2:
        return mean(values), None, None
    return mean(values), *bootstrap_interval(values, rng.stream(0, "causalab", "attainable", *key))
