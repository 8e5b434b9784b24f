"""Comparison of the reference with every agent, and with itself without curated values (section 7.2)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from assay.numbers.stats import holm_in_families, wilcoxon
from assay.protocol import Tables
from assay.suites.petri.tables.leaderboard import AGENT, SCOPE, by_task
from assay.suites.petri.tables.scopes import scopes
from assay.tables.rivals import whole
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import frame, mean

REFERENCE = "ofat"
"""Name of the solver that sweeps with curated values."""

BLIND = "ofat-rand"
"""Name of the solver that sweeps with randomly drawn values; each attempt is one draw."""

CONTESTS = Schema(
    "contests",
    1,
    (
        SCOPE,
        AGENT,
        Column("tasks", "int64", "tasks that both played"),
        Column("better", "int64", "tasks on which the reference scored more (means over attempts)"),
        Column("worse", "int64", "tasks on which it scored less"),
        Column("equal", "int64", "the others"),
        Column("margin", "float64", "mean score of the reference less that of the agent", unit="points"),
        Column(
            "rank_sum", "float64", "Wilcoxon's: of the tasks on which the reference scored more (midranks)"
        ),
        Column("p", "float64", "two-sided Wilcoxon signed-rank p, ties corrected", digits=6),
        Column(
            "p_holm",
            "float64",
            "the same, Holm's correction over the frozen agents of the scope; added agents are a family of "
            "their own",
            digits=6,
        ),
        Column("exact", "bool", "whether p is exact; else the normal approximation"),
        Column(
            "over_blind",
            "float64",
            "the agent's mean score less that of the best draw of blind values; null without one",
            nullable=True,
            unit="points",
        ),
    ),
    key=("scope", "agent"),
    doc="The reference sweep against every agent that was not told the truth, paired over tasks.",
)

ABLATION = Schema(
    "ablation",
    1,
    (
        SCOPE,
        AGENT,
        Column("draw", "int64", "which draw of test values; null for all together", nullable=True),
        Column("tasks", "int64", "tasks"),
        Column("score", "float64", "mean score", unit="points"),
        Column("solved", "float64", "share of right answers; null where not quoted", nullable=True),
        Column("calls", "float64", "mean number of charged calls; the same", nullable=True, unit="calls"),
    ),
    key=("scope", "agent", "draw"),
    doc="What curated test values are worth: the same sweep with them and with blind ones, draw by draw; the "
    "scope `paper` is quoted.",
)


def contests(tables: Tables) -> Any:
    """Return the table `contests`, which has no rows for scopes in which the reference did not play."""
    privileged = {row.agent for row in tables["episodes"].itertuples(index=False) if row.privileged}
    added = tables.get("added", frozenset())
    scores = by_task(tables, "score")
    rows: list[tuple[Any, ...]] = []
    for scope in scopes(tables):
        reference = scores.get((REFERENCE, scope), {})
        best = max(_draws(scores.get((BLIND, scope), {})), default=None)
        family = []
        for agent, where in sorted(scores):
            paired = [task for task in reference if task in scores[agent, where]]
            if where == scope and agent not in privileged and paired:
                theirs = [_mean(scores[agent, scope][task]) for task in paired]
                other = [_mean(reference[task]) for task in paired]
                scaled = [whole(b) - whole(a) for a, b in zip(theirs, other, strict=True)]
                above = None if best is None else _mean(theirs) - best
                family.append((agent, wilcoxon(scaled), _mean(other) - _mean(theirs), above))
        new = [agent in added for agent, *_ in family]
        adjusted = holm_in_families([test.p for _, test, _, _ in family], new)
        for (agent, test, margin, above), p in zip(family, adjusted, strict=True):
            counts = (test.pairs + test.equal, test.better, test.worse, test.equal)
            tested = (test.doubled_positive / 2, float(test.p), float(p), test.exact)
            rows.append((scope, agent, *counts, margin, *tested, above))
    return frame(rows, CONTESTS)


def ablation(tables: Tables) -> Any:
    """Return the table `ablation`: the reference, each draw of blind values, and all draws together."""
    by_metric = {metric: by_task(tables, metric) for metric in ("score", "solved", "calls")}
    rows = []
    for scope in scopes(tables):
        for agent in (REFERENCE, BLIND):
            of = {metric: by_metric[metric].get((agent, scope), {}) for metric in by_metric}
            draws = range(max((len(values) for values in of["score"].values()), default=0))
            for draw in [None, *(draws if agent == BLIND else ())]:
                values = {metric: list(_of_draw(of[metric].values(), draw)) for metric in of}
                if values["score"]:
                    means = [mean(values[metric]) for metric in ("score", "solved", "calls")]
                    rows.append((scope, agent, draw, len(of["score"]), *means))
    for quoted in tables["published"]:
        rows += _quoted(quoted["references"])
    rows.sort(key=lambda row: (*row[:2], -1 if row[2] is None else row[2]))
    return frame(rows, ABLATION).astype({"draw": "Int64"})


def _quoted(references: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the paper's rows; the paper gives solve rate and calls of one draw only."""
    reference, blind = references[REFERENCE], references[BLIND]
    yield ("paper", REFERENCE, None, 30, reference["overall"], reference["solved"], reference["calls"])
    yield ("paper", BLIND, None, 30, _mean(blind["draws"]), None, None)
    for draw, score in enumerate(blind["draws"]):
        rest = (blind["solved"], blind["calls"]) if score == blind["overall"] else (None, None)
        yield ("paper", BLIND, draw, 30, score, *rest)


def _draws(of_tasks: dict[tuple[str, str], list[float]]) -> list[float]:
    """Return the mean score over the tasks for each draw."""
    attempts = range(min((len(values) for values in of_tasks.values()), default=0))
    return [_mean([values[attempt] for values in of_tasks.values()]) for attempt in attempts]


def _of_draw(of_tasks: Iterable[list[float]], draw: int | None) -> Iterator[float]:
    for values in of_tasks:
        yield from values if draw is None else values[draw : draw + 1]


def _mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)
