"""The registry of common tables: schemas that exist, paths, and stages whose fingerprint reaches them."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.build.fingerprint import closure
from assay.tables.registry import BY_AGENT, BY_SUITE, COMMON

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", COMMON)
def test_a_table_has_the_schema_of_its_name(name: str) -> None:
    assert COMMON[name].load_schema().name == name


def test_the_collection_of_tables_reaches_every_schema_that_it_loads_by_name() -> None:
    reached = closure(["assay.stages.shared.collection"], ROOT)
    assert {table.module for table in COMMON.values()} <= reached.keys()


def test_how_tables_are_divided_into_files() -> None:
    assert BY_SUITE == ("tasks", "calibration", "validation", "summary", "validity", "conducts")
    assert BY_AGENT == ("episodes", "events", "scores", "audit")
    assert COMMON["tasks"].path("petri") == "results/petri/tasks.parquet"
    assert COMMON["events"].paths("petri", ["a", "b"]) == [
        "results/petri/events/a.parquet",
        "results/petri/events/b.parquet",
    ]
    with pytest.raises(ValueError, match="one file for each agent"):
        COMMON["events"].path("petri")
    with pytest.raises(ValueError, match="one file for each suite"):
        COMMON["tasks"].path("petri", "a")
