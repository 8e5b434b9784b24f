"""How agents did, tier by tier: what the suite's table and its figure have in common."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from assay import canonical
from assay.protocol import Tables

ALL = "all"
"""The level that holds every tier."""


@dataclass(frozen=True)
class Standing:
    """One agent at one tier (or all).

    `score` is the mean over episodes; `low` and `high` are the range of the means of single attempts,
    `solved` is a share, `calls` a mean. Null where no episode has a value.
    """

    agent: str
    tier: str
    episodes: int
    score: float | None
    low: float | None
    high: float | None
    solved: float | None
    calls: float | None


def standings(tables: Tables) -> Iterator[Standing]:
    """Every agent at every tier that occurs, and at all; ascending by agent and tier."""
    tiers = tier_of(tables)
    values: dict[tuple[str, str, str], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in final(tables):
        if row.metric in ("score", "solved", "calls"):
            for tier in (tiers[row.task_set, row.task_id], ALL):
                of_attempt = values[row.agent, tier, row.metric][row.attempt]
                if not math.isnan(row.value):
                    of_attempt.append(row.value)
    for agent, tier in sorted({(agent, tier) for agent, tier, _ in values}):
        scores = values[agent, tier, "score"]
        every = _flat(scores)
        attempts = [_mean(found) for _, found in sorted(scores.items()) if found]
        yield Standing(
            agent,
            tier,
            len(every),
            _mean(every),
            min(attempts, default=None),  # type: ignore[type-var]
            max(attempts, default=None),  # type: ignore[type-var]
            _mean(_flat(values[agent, tier, "solved"])),
            _mean(_flat(values[agent, tier, "calls"])),
        )


def tier_of(tables: Tables) -> dict[tuple[str, str], str]:
    """The tier of each task, by set and id."""
    return {
        (row.task_set, row.task_id): canonical.loads(row.strata)["tier"]
        for row in tables["tasks"].itertuples(index=False)
    }


def final(tables: Tables) -> Iterable[Any]:
    """The rows of `scores` that describe whole episodes."""
    rows = tables["scores"]
    rows = rows[(rows["profile"] == "default") & rows["step"].isna()]
    found: Iterable[Any] = rows.itertuples(index=False)
    return found


def _flat(by_attempt: dict[int, list[float]]) -> list[float]:
    return [value for _, values in sorted(by_attempt.items()) for value in values]


def _mean(values: list[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
