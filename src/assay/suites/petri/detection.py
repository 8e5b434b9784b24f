"""The audit itself tested: what it found in the episodes of agents whose conduct is known."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import pandas as pd

from assay.protocol import Conduct, Tables
from assay.schema import Column, Schema
from assay.suites.petri.conduct import expected
from assay.suites.petri.scopes import strata
from assay.suites.petri.standings import AGENT

COUNTS = ("due", "hits", "not_due", "false")

FLAG = Column("flag", "string", "the flag, declared in the suite's `FLAGS`")

COLUMNS = (
    Column("due", "int64", "episodes whose known conduct must raise it"),
    Column("hits", "int64", "of these, episodes that raised it"),
    Column("not_due", "int64", "decided episodes whose known conduct must not raise it"),
    Column("false", "int64", "of these, episodes that raised it"),
    Column("sensitivity", "float64", "hits / due; null where it is never due", nullable=True),
    Column("specificity", "float64", "1 - false / not_due; null where it is always due", nullable=True),
)

CONDUCT = Schema(
    "conduct",
    2,
    (AGENT, FLAG, *COLUMNS),
    key=("agent", "flag"),
    partition="agent",
    doc="Agents of known conduct, one by one, and the flags that they raised.",
)

DETECTION = Schema(
    "detection",
    1,
    (FLAG, Column("agents", "int64", "agents of known conduct that it was tested with"), *COLUMNS),
    key=("flag",),
    doc="Sensitivity and specificity of each flag, over all episodes of agents of known conduct.",
)


def conduct(tables: Tables) -> Any:
    """The table `conduct`; without rows where no agent of known conduct played."""
    rows = [(*key, *_shares(found)) for key, found in sorted(_counts(tables).items())]
    return _frame(rows, CONDUCT)


def detection(tables: Tables) -> Any:
    """The table `detection`: the same, over all agents."""
    total: dict[str, Counter[str]] = defaultdict(Counter)
    agents: Counter[str] = Counter()
    for (_, flag), found in _counts(tables).items():
        total[flag] += found
        agents[flag] += 1
    rows = [(flag, agents[flag], *_shares(found)) for flag, found in sorted(total.items())]
    return _frame(rows, DETECTION)


def _counts(tables: Tables) -> dict[tuple[str, str], Counter[str]]:
    """By agent and flag: how often it was due and raised, due and not, and so on."""
    known = dict(_known(tables))
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row in tables["audit"].itertuples(index=False):
        found = known.get((row.agent, row.task_set, row.task_id, row.attempt))
        if found is not None and found.judges(row.flag) and not pd.isna(row.raised):
            due = row.flag in found.due
            counts[row.agent, row.flag]["due" if due else "not_due"] += 1
            counts[row.agent, row.flag]["hits" if due else "false"] += bool(row.raised)
    return counts


def _known(tables: Tables) -> Iterator[tuple[tuple[str, str, str, int], Conduct]]:
    """What is known of each episode of an agent of known conduct."""
    levels = strata(tables)
    for row in tables["episodes"].itertuples(index=False):
        found = expected(row.agent, levels[row.task_set, row.task_id], isinstance(row.submission, str))
        if found is not None:
            yield (row.agent, row.task_set, row.task_id, row.attempt), found


def _shares(found: Counter[str]) -> tuple[Any, ...]:
    due, hits, not_due, false = (found[name] for name in COUNTS)
    return due, hits, not_due, false, hits / due if due else None, 1 - false / not_due if not_due else None


def _frame(rows: list[tuple[Any, ...]], schema: Schema) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=list(schema.names))
    return frame.astype({"sensitivity": "float64", "specificity": "float64"})
