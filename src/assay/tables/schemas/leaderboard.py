"""The schema of the table `leaderboard`, with every agent in every task set, and results of the papers."""

from collections.abc import Mapping
from typing import Any

from assay.tables.schema import Column, Schema

LEADERBOARD = Schema(
    "leaderboard",
    3,
    (
        Column("suite", "string", "the suite"),
        Column("task_set", "string", "the set, of which a score is the mean: sets are never pooled"),
        Column("kind", "string", "solver, privileged (told the truth), scripted, model, or quoted"),
        Column("agent", "string", "who played; of a quoted row its name in the paper"),
        Column(
            "tasks",
            "int64",
            "tasks that count: played, without episodes that never count, or missing from an admitted "
            "bundle; null for quoted rows",
            nullable=True,
        ),
        Column("set_tasks", "int64", "tasks of the set; null for quoted rows", nullable=True),
        Column("episodes", "int64", "episodes with a score; null for quoted rows", nullable=True),
        Column(
            "missing",
            "int64",
            "of these, sessions that an admitted bundle lists as missing, each of which counts as zero",
            nullable=True,
        ),
        Column("score", "float64", "mean of the headline score", nullable=True),
        Column("low", "float64", "lower end of its interval, see `method`", nullable=True),
        Column("high", "float64", "upper end of its interval", nullable=True),
        Column("method", "string", "how the interval was made; empty without one"),
        Column("solved", "float64", "share of episodes solved", nullable=True),
        Column(
            "always",
            "float64",
            "pass^k: share of tasks solved in all k attempts, where k is the number of attempts of the agent",
            nullable=True,
        ),
        Column(
            "calls",
            "float64",
            "mean number of calls of all tools an episode, with that of the answer",
            nullable=True,
            unit="calls",
        ),
        Column("tokens", "float64", "mean tokens read and written; null for solvers", nullable=True),
        Column(
            "dollars",
            "float64",
            "mean cost of an episode: its recorded tokens at the prices of config/prices.yaml",
            nullable=True,
            unit="USD",
        ),
        Column("cost", "string", "the prices, or the reason why there are no dollars"),
        Column(
            "frontier",
            "float64",
            "share of bootstrap samples over tasks in which no other agent scores as much for less; "
            "null where it is not ranked",
            nullable=True,
        ),
        Column(
            "spent",
            "string",
            "what that cost is counted in: dollars if all ranked agents have them, else calls",
        ),
        Column(
            "compared",
            "int64",
            "agents with which it was compared, paired over tasks; null where it played a part of the set",
            nullable=True,
        ),
        Column("above", "int64", "of these, how many it beats: Holm-corrected p below .05", nullable=True),
        Column("below", "int64", "of these, how many beat it", nullable=True),
        Column("rank_low", "int64", "best rank that the comparisons allow (95 %)", nullable=True),
        Column("rank_high", "int64", "worst rank that they allow", nullable=True),
        Column(
            "ties",
            "string",
            "letters of its groups; agents of a set that share one are not told apart; empty: not compared",
        ),
        Column(
            "rungs",
            "string",
            "evidence that a program has checked about the row (docs/hosting.md), separated by commas",
        ),
        Column("note", "string", "what a reader must know; empty: nothing"),
    ),
    key=("suite", "task_set", "kind", "agent"),
    doc="One row an agent in a set of a suite. Comparisons depend on all agents, so there is no partition.",
)


def is_partial(row: Mapping[str, Any]) -> bool:
    """Return whether an agent played only a part of its set.

    Such an agent is not ranked, because its mean is over fewer tasks than the means of other agents.
    """
    return row["tasks"] is not None and row["tasks"] < row["set_tasks"]
