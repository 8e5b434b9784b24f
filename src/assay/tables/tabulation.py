"""What the suites' own tables have in common: strata of tasks, averages with fixed bits, typed rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from assay import canonical
from assay.protocol import Tables
from assay.tables.schema import Schema


def strata(tables: Tables) -> dict[tuple[str, str], Mapping[str, str]]:
    """The strata of each task, by set and id."""
    return {
        (row.task_set, row.task_id): canonical.loads(row.strata)
        for row in tables["tasks"].itertuples(index=False)
    }


def final(tables: Tables, *metrics: str) -> Iterable[Any]:
    """The rows of `scores` about whole episodes, in the default profile: of these metrics, or of all."""
    rows = tables["scores"]
    rows = rows[(rows["profile"] == "default") & rows["step"].isna()]
    found: Iterable[Any] = (rows[rows["metric"].isin(metrics)] if metrics else rows).itertuples(index=False)
    return found


def flag_raised(row: Any) -> bool | None:
    """Whether the flag of a row of `audit` was raised; None where it could not be decided.

    pandas gives a NumPy bool where the whole column is decided, and else an object or NaN: comparing such a
    value with `is True` goes wrong silently.
    """
    return None if pd.isna(row.raised) else bool(row.raised)


def mean(values: Sequence[float]) -> float | None:
    """The mean, correctly rounded; null of nothing."""
    return math.fsum(values) / len(values) if values else None


def median(values: Sequence[float]) -> float | None:
    """The median; null of nothing."""
    ordered = sorted(values)
    n = len(ordered)
    return (ordered[(n - 1) // 2] + ordered[n // 2]) / 2 if n else None


def frame(rows: Iterable[tuple[Any, ...]], schema: Schema) -> pd.DataFrame:
    """Rows as a data frame with the columns and numeric types of a schema, also where there are none."""
    found = pd.DataFrame(list(rows), columns=list(schema.names))
    whole = {c.name: "int64" for c in schema.columns if c.type == "int64" and not c.nullable}
    return found.astype(whole | {c.name: "float64" for c in schema.columns if c.type == "float64"})
