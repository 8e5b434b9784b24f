"""How well the audit tells known conduct: each flag over the scripted agents of each family."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd

from assay.protocol import Tables
from assay.schema import Column, Schema
from assay.suites.sgi.audit import FLAGS, expected
from assay.suites.sgi.standings import strata_of

DETECTION = Schema(
    "detection",
    1,
    (
        Column("family", "string", "the family"),
        Column("flag", "string", "the flag"),
        Column("due", "int64", "episodes of known conduct in which it is due"),
        Column("raised", "int64", "of these, episodes in which it was raised"),
        Column("not_due", "int64", "episodes of known conduct in which it is not due"),
        Column("false_alarms", "int64", "of these, episodes in which it was raised"),
    ),
    key=("family", "flag"),
    doc="One row a family and flag, over the episodes of agents whose conduct is known.",
)


def detection(tables: Tables) -> Any:
    """The table `detection`."""
    strata = strata_of(tables)
    counts: Counter[tuple[str, str, bool, bool]] = Counter()
    for row in tables["audit"].itertuples():
        own = strata[row.task_set, row.task_id]
        conduct = expected(row.agent, own, True)
        if conduct is None or FLAGS[row.flag].kind == "statement" or pd.isna(row.raised):
            continue
        counts[own["family"], row.flag, row.flag in conduct.due, bool(row.raised)] += 1
    keys = sorted({(family, flag) for family, flag, _, _ in counts})
    rows = [
        (
            *key,
            counts[*key, True, True] + counts[*key, True, False],
            counts[*key, True, True],
            counts[*key, False, True] + counts[*key, False, False],
            counts[*key, False, True],
        )
        for key in keys
    ]
    return pd.DataFrame(rows, columns=list(DETECTION.names))
