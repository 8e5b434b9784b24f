"""Helpers for the tables of single suites: strata, means that do not depend on row order, typed rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from assay import canonical
from assay.protocol import Tables
from assay.tables.schema import Schema


def strata(tables: Tables) -> dict[tuple[str, str], Mapping[str, str]]:
    """Return the strata of each task, by set and id."""
    return {
        (row.task_set, row.task_id): canonical.loads(row.strata)
        for row in tables["tasks"].itertuples(index=False)
    }


def final(tables: Tables, *metrics: str) -> Iterable[Any]:
    """Yield the rows of `scores` about whole episodes, in the profile `default`.

    Args:
        tables: The common tables.
        metrics: The metrics whose rows are wanted; all metrics if empty.
    """
    rows = tables["scores"]
    rows = rows[(rows["profile"] == "default") & rows["step"].isna()]
    chosen = rows[rows["metric"].isin(metrics)] if metrics else rows
    yield from chosen.itertuples(index=False)


def flag_raised(row: Any) -> bool | None:
    """Return whether the flag in a row of `audit` was raised, or `None` if it was not decided.

    Use this instead of `row.raised is True`: pandas has NumPy booleans in a column without missing values,
    and other objects or NaN in one with missing values, so the comparison can fail silently.
    """
    return None if pd.isna(row.raised) else bool(row.raised)


def mean(values: Sequence[float]) -> float | None:
    """Return the correctly rounded mean, or `None` if there are no values.

    Example:
        >>> mean([0.1] * 10)
        0.1
    """
    return math.fsum(values) / len(values) if values else None


def median(values: Sequence[float]) -> float | None:
    """Return the median, or `None` if there are no values."""
    ordered = sorted(values)
    n = len(ordered)
    return (ordered[(n - 1) // 2] + ordered[n // 2]) / 2 if n else None


def frame(rows: Iterable[tuple[Any, ...]], schema: Schema) -> pd.DataFrame:
    """Return rows as a data frame with the columns and numeric types of a schema; `rows` may be empty."""
    untyped = pd.DataFrame(list(rows), columns=list(schema.names))
    whole = {c.name: "int64" for c in schema.columns if c.type == "int64" and not c.nullable}
    return untyped.astype(whole | {c.name: "float64" for c in schema.columns if c.type == "float64"})
