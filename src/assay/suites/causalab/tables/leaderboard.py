"""Results of agents by setting, from which the paper's tables and figures are made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.numbers import rng
from assay.numbers.stats import bootstrap_interval
from assay.protocol import Tables
from assay.suites.causalab.tables.played import played
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import frame, mean

PERCENT = frozenset({"solved", "solvable", "solved_solvable"})

AGENT = Column("agent", "string", "who played")
SETTING = Column("setting", "string", "the setting: a suite's name, or a regime such as 3o6i")
NODES = Column("nodes", "int64", "variables of the model, the frequency included")


def number_column(name: str, doc: str, unit: str = "") -> Column:
    return Column(name, "float64", doc, nullable=True, unit=unit)


MEANS = (
    number_column("solved", "task accuracy: accepted predictions", "%"),
    number_column("solvable", "episodes in which any prediction could be accepted", "%"),
    number_column("solved_solvable", "task accuracy over those", "%"),
    number_column("root_f1", "mean F1 of the roots"),
    number_column("edge_precision", "mean precision of all edges"),
    number_column("edge_recall", "mean recall of all edges"),
    number_column("edge_f1", "mean F1 of all edges"),
    number_column("shd", "mean structural Hamming distance", "edges"),
    number_column("freq_edge_f1", "mean F1 of the edges into the frequency"),
    number_column("freq_weight_f1", "mean F1 of its linear weights"),
    number_column("freq_weight_quad", "mean F1 of all its weights, within one per cent"),
    number_column("imec_data", "mean number of graphs that the evidence leaves"),
    number_column("interventions", "mean number of interventions"),
    number_column("budget_used", "mean share of the budget"),
    number_column("consistent", "share of final equations that contradict nothing seen"),
    number_column("regret", "mean attainable F1 less F1 of all edges, in the sealed sets where it is known"),
)
METRICS = tuple(column.name for column in MEANS)
"""The metrics of `Standing`, by their names in scoring."""

BOUNDED = ("solved", "edge_f1")
"""Metrics whose means have an interval in tables and figures; `intervals` has those of others."""

ENDS = tuple(
    number_column(f"{metric}_{end}", f"{words} of its 95 % bootstrap interval over episodes", unit)
    for metric, unit in zip(BOUNDED, ("%", ""), strict=True)
    for end, words in (("low", "lower end"), ("high", "upper end"))
)

RECOVERY = Schema(
    "recovery",
    3,
    (
        AGENT,
        SETTING,
        NODES,
        Column("privileged", "bool", "whether the agent was told the truth"),
        Column("rows", "int64", "episodes with a score"),
        *MEANS,
        *ENDS,
    ),
    key=("agent", "setting", "nodes"),
    partition="agent",
    doc="Every agent in every setting and size: means over episodes, what is missing left out.",
)

Place = tuple[str, str, int]
"""Agent, setting and number of variables."""


@dataclass(frozen=True)
class Standing:
    """One agent in one setting and size: number of episodes, means (accuracies in percent), and values."""

    agent: str
    setting: str
    nodes: int
    privileged: bool
    rows: int
    means: Mapping[str, float | None]
    values: Mapping[str, Sequence[float]]

    def interval(self, metric: str) -> tuple[float | None, float | None]:
        """Return the 95 % bootstrap interval of a mean over episodes; None for fewer than two episodes."""
        values = self.values.get(metric, ())
        if len(values) < 2:
            return None, None
        place = (self.agent, self.setting, self.nodes)
        low, high = bootstrap_interval(values, rng.stream(0, "causalab", "recovery", *place, metric))
        scale = 100 if metric in PERCENT else 1
        return scale * low, scale * high

    @property
    def ends(self) -> tuple[float | None, ...]:
        """The intervals of the metrics in `BOUNDED`, in the order of the columns `ENDS`."""
        return tuple(end for metric in BOUNDED for end in self.interval(metric))


def recovery(tables: Tables) -> Any:
    rows = [
        (s.agent, s.setting, s.nodes, s.privileged, s.rows, *(s.means[metric] for metric in METRICS), *s.ends)
        for s in standings(tables).values()
    ]
    return frame(rows, RECOVERY)


def standings(tables: Tables) -> dict[Place, Standing]:
    """Return all standings in ascending order of agent, setting and size."""
    values: dict[Place, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for episode in played(tables, *METRICS):
        of_place = values[episode.agent, episode.setting, episode.nodes]
        for name, number in episode.values.items():
            of_place[name].append(number)
    episodes = tables["episodes"]
    privileged = dict(zip(episodes["agent"], episodes["privileged"], strict=True))
    ranked = {}
    for place in sorted(values):
        means = {metric: mean(values[place].get(metric, [])) for metric in METRICS}
        for metric in PERCENT:
            if (value := means[metric]) is not None:
                means[metric] = 100 * value
        count = len(values[place]["solved"])
        ranked[place] = Standing(*place, bool(privileged[place[0]]), count, means, values[place])
    return ranked
