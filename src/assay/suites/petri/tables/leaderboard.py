"""Results of agents by tier (section 7.2 of the paper), for the table `tiers` and for figures."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from typing import Any

import pandas as pd

from assay.protocol import Tables
from assay.suites.petri.tables.scopes import ALL, scopes_of
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import final, frame, mean, strata

SCOPE = Column("scope", "string", "a task set; `frozen-30`: core-v0, l2-v0 and l3-v0 together")
AGENT = Column("agent", "string", "who played")

TIERS = Schema(
    "tiers",
    2,
    (
        SCOPE,
        AGENT,
        Column("tier", "string", "the tier; `all` for the whole scope"),
        Column("privileged", "bool", "whether the agent was told the truth"),
        Column("episodes", "int64", "episodes with a score"),
        Column("score", "float64", "mean score; null without episodes", nullable=True, unit="points"),
        Column(
            "low", "float64", "lowest mean of a single attempt at all tasks", nullable=True, unit="points"
        ),
        Column("high", "float64", "highest mean of a single attempt", nullable=True, unit="points"),
        Column("solved", "float64", "share of episodes with a right answer", nullable=True),
        Column("calls", "float64", "mean number of charged calls", nullable=True, unit="calls"),
        Column("tokens", "float64", "mean tokens in and out; null for solvers", nullable=True, unit="tokens"),
    ),
    key=("scope", "agent", "tier"),
    partition="agent",
    doc="How each agent did at each tier; the range is that of the means of single attempts.",
)


@dataclass(frozen=True)
class Standing:
    """One agent at one tier (or all) of one scope.

    `score` is the mean over episodes; `low` and `high` are the range of the means of single attempts,
    `solved` is a share, `calls` and `tokens` are means. A field is None if no episode has a value.
    """

    scope: str
    agent: str
    tier: str
    privileged: bool
    episodes: int
    score: float | None
    low: float | None
    high: float | None
    solved: float | None
    calls: float | None
    tokens: float | None


def tiers(tables: Tables) -> Any:
    return frame((astuple(standing) for standing in standings(tables)), TIERS)


def standings(tables: Tables) -> Iterator[Standing]:
    """Yield each agent's results at each tier and at all tiers, sorted by scope, agent and tier."""
    levels = {task: level["tier"] for task, level in strata(tables).items()}
    scopes = scopes_of(tables)
    values: dict[tuple[str, str, str, str], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))

    def note(row: Any, metric: str, value: float) -> None:
        task = (row.task_set, row.task_id)
        for scope in scopes[task]:
            for tier in (levels[task], ALL):
                of_attempt = values[scope, row.agent, tier, metric][row.attempt]
                if not math.isnan(value):
                    of_attempt.append(value)

    for row in final(tables):
        if row.metric in ("score", "solved", "calls"):
            note(row, row.metric, row.value)
    privileged = {}
    for row in tables["episodes"].itertuples(index=False):
        privileged[row.agent] = bool(row.privileged)
        if not (pd.isna(row.tokens_in) or pd.isna(row.tokens_out)):
            note(row, "tokens", float(row.tokens_in + row.tokens_out))
    for scope, agent, tier in sorted({key[:3] for key in values}):
        of = {m: values.get((scope, agent, tier, m), {}) for m in ("score", "solved", "calls", "tokens")}
        every = _flat(of["score"])
        attempts = [
            math.fsum(one_pass) / len(one_pass) for _, one_pass in sorted(of["score"].items()) if one_pass
        ]
        ends = min(attempts, default=None), max(attempts, default=None)
        rest = (mean(_flat(of[metric])) for metric in ("solved", "calls", "tokens"))
        yield Standing(scope, agent, tier, privileged[agent], len(every), mean(every), *ends, *rest)


def by_task(tables: Tables, metric: str) -> dict[tuple[str, str], dict[tuple[str, str], list[float]]]:
    """Return the values of a metric, one per attempt in order, by (agent, scope) and then by task."""
    scopes = scopes_of(tables)
    values: dict[tuple[str, str], dict[tuple[str, str], list[float]]] = {}
    for row in final(tables):
        if row.metric == metric and not math.isnan(row.value):
            task = (row.task_set, row.task_id)
            for scope in scopes[task]:
                values.setdefault((row.agent, scope), {}).setdefault(task, []).append(row.value)
    return values


def _flat(by_attempt: dict[int, list[float]]) -> list[float]:
    return [value for _, values in sorted(by_attempt.items()) for value in values]
