"""Answers, and what is thought of them, from the tables that every suite has."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pandas as pd

from assay import canonical
from assay.protocol import Tables
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import final, frame

ANSWERS = Schema(
    "answers",
    1,
    (
        Column("task_set", "string", "the set that the urn belongs to"),
        Column("task_id", "string", "the urn"),
        Column("agent", "string", "who answered"),
        Column("attempt", "int64", "which attempt"),
        Column("answers", "int64", "answers written down"),
        Column("best", "float64", "the best of their scores"),
    ),
    key=("task_set", "task_id", "agent", "attempt"),
    partition="agent",
    doc="One row an episode with an answer.",
)

TIERS = Schema(
    "tiers",
    1,
    (
        Column("tier", "string", "the size of the urns"),
        Column("urns", "int64", "their number"),
        Column("best_agent", "string", "who has the highest mean score, the first of them by name"),
        Column("best_mean", "float64", "that score"),
    ),
    key=("tier",),
    doc="One row a tier. Depends on all agents at once, so it has no partition.",
)


OPINIONS = Schema(
    "opinions-and-answers",
    1,
    (
        Column("judge", "string", "who judges"),
        Column("opinion", "string", "what it said"),
        Column("right", "bool", "whether the answer is right"),
        Column("episodes", "int64", "how many"),
    ),
    key=("judge", "opinion", "right"),
    doc="What judges think of right and wrong answers.",
)


def answers(tables: Tables) -> pd.DataFrame:
    """How many answers each episode took, and the best of them."""
    scores = tables["scores"]
    steps = scores[(scores["metric"] == "score") & scores["step"].notna()]
    groups = steps.groupby(["task_set", "task_id", "agent", "attempt"], sort=True)["value"]
    counted: pd.DataFrame = groups.agg(answers="size", best="max").reset_index()
    return counted[list(ANSWERS.names)]


def tiers(tables: Tables) -> pd.DataFrame:
    """Who is best in each tier."""
    tasks, scores = tables["tasks"], tables["scores"]
    tier = {(row.task_set, row.task_id): canonical.loads(row.strata)["tier"] for row in tasks.itertuples()}
    final = scores[(scores["profile"] == "default") & scores["step"].isna() & scores["value"].notna()]
    final = final[final["metric"] == "score"]
    values: dict[str, dict[str, list[float]]] = {name: {} for name in sorted(set(tier.values()))}
    for row in final.itertuples():
        values[tier[row.task_set, row.task_id]].setdefault(row.agent, []).append(row.value)
    rows = []
    for name, by_agent in values.items():
        means = {agent: math.fsum(v) / len(v) for agent, v in sorted(by_agent.items())}
        if means:
            best = max(means, key=lambda agent: means[agent])
            rows.append((name, list(tier.values()).count(name), best, means[best]))
    return pd.DataFrame(rows, columns=list(TIERS.names))


def opinions(tables: Tables) -> pd.DataFrame:
    """What judges think of right and wrong answers."""
    solved = {_episode(row): row.value == 1 for row in final(tables, "solved")}
    counts = Counter(
        (row.judge, row.label, solved[_episode(row)])
        for row in tables["opinions"].itertuples()
        if row.status == "given"
    )
    return frame([(*found, n) for found, n in sorted(counts.items())], OPINIONS)


def _episode(row: Any) -> tuple[Any, ...]:
    return row.task_set, row.task_id, row.agent, row.attempt
