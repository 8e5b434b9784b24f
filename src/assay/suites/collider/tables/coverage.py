"""The table of all tasks, with what a reference solver of each would still need."""

from __future__ import annotations

import math

import pandas as pd

from assay import canonical
from assay.protocol import Tables
from assay.suites.collider.problems.catalogue import explained
from assay.suites.collider.problems.hidden import rate_error
from assay.tables.schema import Column, Schema
from assay.tables.tabulation import frame

COVERAGE = Schema(
    "coverage",
    2,
    (
        Column("task_set", "string", "the set"),
        Column("task_id", "string", "the task"),
        Column("paper", "string", "the search"),
        Column("point", "string", "the signal point"),
        Column("bins", "int64", "bins of its template"),
        Column("expected", "float64", "total of the reference", unit="events"),
        Column("reference_errors", "string", "published, exact, or only what the printed digits leave open"),
        Column(
            "cross_section_error",
            "float64",
            "relative; null where it is not known, 0 where the rate of the reference is exact",
            nullable=True,
        ),
        Column("suspect", "bool", "whether the reference itself is in doubt"),
        Column("needs", "string", "what a reference solver still needs, separated by semicolons"),
    ),
    key=("task_set", "task_id"),
    doc="One row a task.",
)


def coverage(tables: Tables) -> pd.DataFrame:
    rows = []
    for row in tables["tasks"].itertuples(index=False):
        public, hidden = canonical.loads(row.public), canonical.loads(row.hidden)
        known = (
            "published" if hidden["published_errors"] else "exact" if hidden["exact"] else "printed digits"
        )
        needs = tuple(public["needs"])
        size = (len(hidden["yields"]), math.fsum(hidden["yields"]))
        doubts = (known, rate_error(public, hidden), bool(hidden["suspect"]))
        identity = (row.task_set, row.task_id, public["paper"], public["point"])
        rows.append((*identity, *size, *doubts, "; ".join(explained(needs))))
    return frame(sorted(rows), COVERAGE)
