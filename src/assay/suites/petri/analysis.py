"""The suite's own tables: standings by tier, failures by kind, and how well the audit knows known conduct."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import pandas as pd

from assay.protocol import Tables, TableSpec
from assay.schema import Column, Schema
from assay.suites.petri.audit import FLAGS, expected
from assay.suites.petri.standings import standings, tier_of

AGENT = Column("agent", "string", "who played")

TIERS = Schema(
    "tiers",
    1,
    (
        AGENT,
        Column("tier", "string", "the tier; `all` for the whole"),
        Column("episodes", "int64", "episodes with a score"),
        Column("score", "float64", "mean score; null without episodes", nullable=True, unit="points"),
        Column(
            "low", "float64", "lowest mean of a single attempt at all tasks", nullable=True, unit="points"
        ),
        Column("high", "float64", "highest mean of a single attempt", nullable=True, unit="points"),
        Column("solved", "float64", "share of episodes with a right answer", nullable=True),
        Column("calls", "float64", "mean number of charged calls", nullable=True, unit="calls"),
    ),
    key=("agent", "tier"),
    partition="agent",
    doc="How each agent did at each tier; the range is that of the means of single attempts.",
)

TAXONOMY = Schema(
    "taxonomy",
    1,
    (
        AGENT,
        Column("flag", "string", "the flag, declared in the suite's `FLAGS`"),
        Column("label", "string", "the finding in a word, where flags of one name differ; empty: none"),
        Column("raised", "int64", "episodes that raised it with this label"),
        Column("decided", "int64", "episodes in which the flag could be decided, whatever the label"),
    ),
    key=("agent", "flag", "label"),
    partition="agent",
    doc="How often each kind of failure occurred; flags of one episode may co-occur.",
)

CONDUCT = Schema(
    "conduct",
    1,
    (
        AGENT,
        Column("flag", "string", "the flag, declared in the suite's `FLAGS`"),
        Column("due", "int64", "episodes whose known conduct must raise it"),
        Column("hits", "int64", "of these, episodes that raised it: sensitivity is hits / due"),
        Column("not_due", "int64", "decided episodes whose known conduct must not raise it"),
        Column("false", "int64", "of these, episodes that raised it: specificity is 1 - false / not_due"),
    ),
    key=("agent", "flag"),
    partition="agent",
    doc="The audit itself tested: scripted agents of known conduct, and the flags that they raised.",
)


def tiers(tables: Tables) -> Any:
    """The table `tiers`."""
    return pd.DataFrame([asdict(standing) for standing in standings(tables)], columns=list(TIERS.names))


def taxonomy(tables: Tables) -> Any:
    """The table `taxonomy`: one row a flag and label that occurred, and one a flag that never did."""
    raised: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    decided: Counter[tuple[str, str]] = Counter()
    for row in tables["audit"].itertuples(index=False):
        found = raised[row.agent, row.flag]
        if not pd.isna(row.raised):
            decided[row.agent, row.flag] += 1
            if row.raised:
                found[row.label] += 1
    rows = [
        (agent, flag, label, n, decided[agent, flag])
        for (agent, flag), labels in sorted(raised.items())
        for label, n in sorted(labels.items() or [("", 0)])
    ]
    return pd.DataFrame(rows, columns=list(TAXONOMY.names))


def conduct(tables: Tables) -> Any:
    """The table `conduct`; without rows where no scripted agent played."""
    tier = tier_of(tables)
    due: dict[tuple[str, str, str, int], tuple[str, ...]] = {}
    for row in tables["episodes"].itertuples(index=False):
        submitted = isinstance(row.submission, str)
        flags = expected(row.agent, tier[row.task_set, row.task_id], submitted)
        if flags is not None:
            due[row.agent, row.task_set, row.task_id, row.attempt] = flags
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row in tables["audit"].itertuples(index=False):
        episode = (row.agent, row.task_set, row.task_id, row.attempt)
        if episode in due and not pd.isna(row.raised):
            is_due = row.flag in due[episode]
            found = counts[row.agent, row.flag]
            found["due" if is_due else "not_due"] += 1
            found["hits" if is_due else "false"] += bool(row.raised)
    columns = ("due", "hits", "not_due", "false")
    rows = [(agent, flag, *(found[c] for c in columns)) for (agent, flag), found in sorted(counts.items())]
    return pd.DataFrame(rows, columns=list(CONDUCT.names))


TABLES: Mapping[str, TableSpec] = {
    "tiers": TableSpec(tiers, TIERS, "score, solve rate and calls of each agent at each tier"),
    "taxonomy": TableSpec(
        taxonomy, TAXONOMY, f"how often each of the {len(FLAGS)} flags was raised, by agent"
    ),
    "conduct": TableSpec(conduct, CONDUCT, "sensitivity and specificity of the flags, by scripted agents"),
}
