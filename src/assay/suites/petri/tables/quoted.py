"""The paper's results (section 7.2) in the form of ours, so that both can be shown side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.protocol import Tables
from assay.suites.petri.tables.leaderboard import AGENT, standings
from assay.suites.petri.tables.scopes import ALL, TIERS, headline
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import frame

QUOTED = Schema(
    "quoted",
    1,
    (
        AGENT,
        Column("tier", "string", "the tier; `all` for the thirty tasks of the paper"),
        Column("privileged", "bool", "whether the agent was told the truth"),
        Column("score", "float64", "the paper's mean score", unit="points"),
        Column("low", "float64", "lowest mean of a pass; null where not given", nullable=True, unit="points"),
        Column("high", "float64", "highest mean of a pass", nullable=True, unit="points"),
        Column("solved", "float64", "share solved; given for all tiers together", nullable=True),
        Column("calls", "float64", "mean number of charged calls", nullable=True, unit="calls"),
        Column("scope", "string", "our tasks that `ours` is about: others than the paper's"),
        Column("ours", "float64", "our mean score of the agent of that name", nullable=True, unit="points"),
        Column("ours_solved", "float64", "our share solved", nullable=True),
        Column("ours_calls", "float64", "our mean number of charged calls", nullable=True, unit="calls"),
    ),
    key=("agent", "tier"),
    doc="The rows of the paper's table, with ours beside where we have an agent of that name.",
)


def quoted(tables: Tables) -> Any:
    """Return the table `quoted`, which is empty if no results of the paper are available."""
    scope = headline(tables)
    ours = {(s.agent, s.tier): s for s in standings(tables) if s.scope == scope}
    rows = []
    for published in tables["published"]:
        for row in rows_of(published):
            standing = ours.get((row[0], row[1]))
            rows.append(
                (
                    *row,
                    scope,
                    *((standing.score, standing.solved, standing.calls) if standing else (None, None, None)),
                )
            )
    rows.sort(key=lambda row: row[:2])
    return frame(rows, QUOTED)


def rows_of(published: Any) -> Iterator[tuple[Any, ...]]:
    """Yield agent, tier, privileged, score, low, high, solved and calls of each row of the paper's table."""
    for agent, entry in published["references"].items():
        privileged = entry["privileged"]
        for tier in TIERS:
            yield (agent, tier, privileged, entry[tier], None, None, None, None)
        yield (agent, ALL, privileged, entry["overall"], None, None, entry["solved"], entry["calls"])
    for agent, entry in published["models"].items():
        for tier in TIERS:
            low, high = entry[tier]["range"]
            yield (agent, tier, False, entry[tier]["mean"], low, high, None, None)
        yield (agent, ALL, False, entry["overall"], None, None, entry["solved"], entry["calls"])
