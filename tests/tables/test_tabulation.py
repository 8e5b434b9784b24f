"""What the suites' own tables have in common."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from assay.tables.schema import Column, Schema
from assay.tables.tabulation import final, frame, mean, median, strata

SCHEMA = Schema(
    "any",
    1,
    (Column("name", "string", ""), Column("n", "int64", ""), Column("x", "float64", "", nullable=True)),
    key=("name",),
    doc="",
)


@pytest.mark.parametrize(
    ("values", "average", "middle"),
    [([], None, None), ([2.0], 2.0, 2.0), ([3.0, 1.0], 2.0, 2.0), ([5.0, 1.0, 2.0], 8 / 3, 2.0)],
)
def test_averages(values: list[float], average: float | None, middle: float | None) -> None:
    assert (mean(values), median(values)) == (average, middle)


def test_a_mean_does_not_depend_on_the_order_of_its_values() -> None:
    values = [1e16, 1.0, -1e16, 1.0]
    assert mean(values) == mean(sorted(values)) == 0.5


@pytest.mark.parametrize("rows", [[], [("a", 1, None)], [("a", 1, None), ("b", 2, 0.5)]])
def test_rows_get_the_types_of_the_schema(rows: list[tuple[object, ...]]) -> None:
    found = frame(rows, SCHEMA)
    assert list(found.columns) == ["name", "n", "x"]
    assert (found["n"].dtype, found["x"].dtype) == ("int64", "float64")
    assert len(found) == len(rows)
    assert not rows or math.isnan(found["x"][0])


def test_final_rows_are_those_of_whole_episodes() -> None:
    rows = [
        ("default", "score", None, 1.0),
        ("default", "score", 3, 2.0),
        ("strict", "score", None, 3.0),
        ("default", "solved", None, 4.0),
    ]
    tables = {"scores": pd.DataFrame(rows, columns=["profile", "metric", "step", "value"])}
    assert [row.value for row in final(tables)] == [1.0, 4.0]
    assert [row.value for row in final(tables, "solved")] == [4.0]


def test_strata_are_by_set_and_id() -> None:
    rows = [("a-v0", "1", '{"tier":"L1"}'), ("b-v0", "1", '{"tier":"L2"}')]
    tables = {"tasks": pd.DataFrame(rows, columns=["task_set", "task_id", "strata"])}
    assert strata(tables) == {("a-v0", "1"): {"tier": "L1"}, ("b-v0", "1"): {"tier": "L2"}}
