"""One number an agent, and the rows quoted from the paper in the same form."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from assay.protocol import Tables
from assay.suites.sgi.families import FAMILIES, RELEASED, Family
from assay.suites.sgi.metrics.aggregate import partial, released_score, sgi4, sgi_score
from assay.suites.sgi.standings import columns, headline_sets
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import frame

_FAMILY_COLUMNS = tuple(
    Column(family, "float64", f"the column {family}; null where it was not played", nullable=True, unit="%")
    for family in FAMILIES
)

TOTALS = Schema(
    "totals",
    1,
    (
        Column("agent", "string", "who answered"),
        Column("profile", "string", "the scoring profile; `default` is the objective one"),
        *_FAMILY_COLUMNS,
        Column("sgi", "float64", "the SGI-Score; null where a column is null", nullable=True, unit="%"),
        Column("sgi4", "float64", "mean of four families, experiments as one", nullable=True, unit="%"),
        Column("partial", "float64", "mean of the columns there are; no SGI-Score", nullable=True, unit="%"),
        Column("columns_used", "string", "which columns these are"),
    ),
    key=("agent", "profile"),
    partition="agent",
    doc="One row an agent and profile; a column is the mean over the largest set of its family. A null "
    "column makes both scores null; nothing stands in for it.",
)

RELEASED_TOTALS = replace(
    TOTALS,
    name="totals-released",
    doc="One row an agent and profile, over the sets that are read from released files; empty without any.",
)

QUOTED = Schema(
    "quoted",
    1,
    (
        Column("model", "string", "the model, as the paper names it, in lower case"),
        *_FAMILY_COLUMNS,
        Column("sgi", "float64", "the printed SGI-Score", nullable=True, unit="%"),
        Column("recomputed", "float64", "the mean of the five printed columns", nullable=True, unit="%"),
        Column("note", "string", "what to keep in mind"),
    ),
    key=("model",),
    doc="The main table of the paper. Other items than ours: never ranked together with them.",
)


def totals(tables: Tables) -> Any:
    """The table `totals`: the SGI-Scores over the largest set of each family."""
    return _totals(tables, headline_sets(tables))


def totals_of_released(tables: Tables) -> Any:
    """The table `totals-released`: the SGI-Scores over the sets that are read from files of the paper."""
    return _totals(tables, headline_sets(tables, RELEASED), RELEASED_TOTALS)


def _totals(tables: Tables, sets: Mapping[str, str], schema: Schema = TOTALS) -> Any:
    found: dict[tuple[str, str], dict[Family, float | None]] = defaultdict(dict)
    for row in columns(tables).itertuples():
        if row.task_set == sets.get(row.family):
            mean = None if pd.isna(row.mean) else float(row.mean)
            found[row.agent, row.profile][row.family] = mean
    rows = []
    for (agent, profile), own in sorted(found.items()):
        score = released_score(own) if profile == "released" else sgi_score(own)
        mean, used = partial(own)
        each = (own.get(family) for family in FAMILIES)
        rows.append((agent, profile, *each, score, sgi4(own), mean, " ".join(used)))
    return frame(rows, schema)


def quoted(tables: Tables) -> Any:
    """The table `quoted`; without rows where no paper is quoted."""
    rows = []
    for published in tables["published"]:
        for model, found in {**published["models"], **published["others"]}.items():
            own: dict[Family, float | None] = {family: found.get(family) for family in FAMILIES}
            rows.append((model, *own.values(), found.get("sgi"), sgi_score(own), published["note"]))
    return frame(sorted(rows), QUOTED)
