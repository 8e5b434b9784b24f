"""The best agent of each tier, which depends on all agents at once."""

from __future__ import annotations

import math

import pandas as pd

from assay import canonical
from assay.protocol import Tables
from assay.tables.schema import Column, Schema

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
