"""The tables of an evaluation: a row a value, and a row a metric, the user's own among the suite's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.tables.schema import Column, Schema
from assay.tables.writer import write_table

_WHAT = (
    Column("metric", "string", "which metric"),
    Column("kind", "string", "`builtin`: the suite's; `code`: the user's; `rubric`: a judge's"),
)

VALUES = Schema(
    "evaluation_values",
    1,
    (
        Column("task_set", "string", "the set of the item"),
        Column("task_id", "string", "the item"),
        *_WHAT,
        Column("family", "string", "the family of the item"),
        Column("discipline", "string", "its discipline"),
        Column("type", "string", "its type"),
        Column("level", "string", "its level"),
        Column("agent", "string", "who answered"),
        Column("value", "float64", "the value; null where there is none", nullable=True),
        Column("status", "string", "how the episode ended"),
        Column("rationale", "string", "one line on why"),
        Column("error", "string", "what went wrong with the metric; empty where nothing did"),
    ),
    key=("task_set", "task_id", "metric"),
    doc="One row an item and a metric. `row` numbers of the report count these rows from 0.",
)

METRIC_TABLE = Schema(
    "evaluation_metrics",
    1,
    (
        Column("family", "string", "the family"),
        *_WHAT,
        Column("title", "string", "the metric in words"),
        Column("aggregate", "string", "mean, median or rate (share above 0)"),
        Column("n", "int64", "items"),
        Column("missing", "int64", "items without a value; the value is null where there are any"),
        Column("value", "float64", "the aggregate", nullable=True),
        Column("low", "float64", "lower end of the 95 % bootstrap interval over items", nullable=True),
        Column("high", "float64", "upper end", nullable=True),
    ),
    key=("family", "metric"),
    doc="One row a family and a metric.",
)


def ordered(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Rows in the order of the table's key, which is what the report counts."""
    return sorted(rows, key=lambda row: tuple(str(row[name]) for name in VALUES.key))


def write(folder: Path, rows: Sequence[Mapping[str, Any]], metrics: Sequence[Mapping[str, Any]]) -> None:
    """Write `scores.parquet` and `metrics.parquet`."""
    folder.mkdir(parents=True, exist_ok=True)
    write_table(
        [{name: row[name] for name in VALUES.names} for row in rows], folder / "scores.parquet", VALUES
    )
    found = [{name: row[name] for name in METRIC_TABLE.names} for row in metrics]
    write_table(
        sorted(found, key=lambda row: (row["family"], row["metric"])),
        folder / "metrics.parquet",
        METRIC_TABLE,
    )
