"""Answers, and what is thought of them, from the tables that every suite has."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd

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
