"""What episodes cost, in dollars or in calls, and which agents are on the frontier of score against cost."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay import canonical
from assay.numbers import frontier, rng
from assay.tables.reader import read_rows, read_table
from assay.tables.schemas.episodes import EPISODES
from assay.tables.schemas.scores import SCORES

MILLION = 1e6

Key = tuple[str, str]
"""A set and an agent."""


@dataclass
class Costs:
    """What the episodes of a suite cost.

    Attributes:
        prices: The price of each agent's tokens in dollars a million (`tokens_in`, `tokens_out`, `date`), or
            the `reason` why it has none.
        calls: The calls of each episode, by row of the leaderboard and then by task.
        dollars: Its dollars, likewise; None where its tokens were not counted.
    """

    prices: Mapping[str, Mapping[str, Any]]
    calls: dict[Key, dict[str, list[float]]] = field(default_factory=lambda: defaultdict(dict))
    dollars: dict[Key, dict[str, list[float | None]]] = field(default_factory=lambda: defaultdict(dict))

    @classmethod
    def of(cls, paths: Sequence[Path], prices: Mapping[str, Mapping[str, Any]]) -> Costs:
        """Read the tables `episodes` of a suite."""
        costs = cls(prices)
        columns = ["task_set", "agent", "task_id", "counters", "tokens_in", "tokens_out"]
        for path in paths:
            table = read_table(path, EPISODES).select(columns)
            for task_set, agent, task_id, counters, *tokens in zip(
                *(column.to_pylist() for column in table.columns), strict=True
            ):
                key = (task_set, agent)
                calls = float(canonical.loads(counters).get("calls", 0))
                costs.calls[key].setdefault(task_id, []).append(calls)
                costs.dollars[key].setdefault(task_id, []).append(costs._charged(agent, *tokens))
        return costs

    def _charged(self, agent: str, tokens_in: int | None, tokens_out: int | None) -> float | None:
        price = self.prices.get(agent, {})
        if "tokens_in" not in price or tokens_in is None or tokens_out is None:
            return None
        cost: float = (price["tokens_in"] * tokens_in + price["tokens_out"] * tokens_out) / MILLION
        return cost

    def row(self, task_set: str, agent: str) -> dict[str, Any]:
        """Return the columns `dollars` and `cost` of a row."""
        price = self.prices.get(agent, {"reason": "its price is not known"})
        if "reason" in price:
            return {"dollars": None, "cost": price["reason"]}
        charged = [each for of_task in self.dollars[task_set, agent].values() for each in of_task]
        known = [each for each in charged if each is not None]
        if not charged or len(known) < len(charged):
            return {
                "dollars": None,
                "cost": f"tokens of {len(charged) - len(known)} episodes were not counted",
            }
        words = (
            f"{price['tokens_in']:g} and {price['tokens_out']:g} USD for a million tokens read and written "
            f"({price['date']})"
        )
        return {"dollars": math.fsum(known) / len(known), "cost": words}


def frontiers(
    paths: Sequence[Path], costs: Costs, ranked: Collection[Key], absent: Collection[Sequence[Any]] = ()
) -> dict[Key, dict[str, Any]]:
    """Return the columns `frontier` and `spent` of the ranked rows of a suite.

    Args:
        paths: The tables `scores` of the suite.
        costs: What its episodes cost.
        ranked: The rows that are ranked.
        absent: Missing sessions, which score zero and cost nothing, as [agent, set, task, attempt].
    """
    scores: dict[Key, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for path in paths:
        for row in read_rows(path, SCORES, where={"metric": "score", "profile": "default"}):
            if row["step"] is None and row["value"] is not None:
                scores[row["task_set"], row["agent"]][row["task_id"]].append(row["value"])
    for agent, task_set, task_id, _ in absent:
        scores[task_set, agent][task_id].append(0.0)
    shares: dict[Key, dict[str, Any]] = {}
    for task_set in {each for each, _ in ranked}:
        agents = sorted(agent for each, agent in ranked if each == task_set)
        keys = [(task_set, agent) for agent in agents]
        dollars = all(costs.row(*key)["dollars"] is not None for key in keys)
        tasks = sorted(set.intersection(*(set(scores[key]) for key in keys)))
        spent: Any = costs.dollars if dollars else costs.calls
        values = frontier.shares(
            [[_mean(scores[key][task]) for task in tasks] for key in keys],
            [[_mean(spent[key].get(task, [0.0])) for task in tasks] for key in keys],
            rng.stream(0, "frontier", task_set),
        )
        unit = "dollars" if dollars else "calls"
        shares |= {key: {"frontier": value, "spent": unit} for key, value in zip(keys, values, strict=True)}
    return shares


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
