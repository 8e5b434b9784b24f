"""The reader of released files: every family in both formats, and every fault with file, row and column."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.suites.sgi import archived

from assay.errors import TableError
from assay.suites.sgi.families import FAMILIES, Family
from assay.suites.sgi.released import loader as released
from assay.suites.sgi.released.loader import SIDE_FILES, load

WRITTEN: dict[Family, dict[str, Any]] = {
    "deep_research": {
        "idx": "SGI_DeepResearch_0000",
        "question": "How long?",
        "steps": ["read"],
        "answer": "1.0",
        "discipline": "physics",
        "direction": "circuits",
        "type": "Property",
    },
    "idea_generation": {
        "idx": "SGI_IdeaGeneration_0000",
        "question": "What next?",
        "discipline": "earth",
        **dict.fromkeys(("direction", "challenge", "limitation", "motivation"), "text"),
        **dict.fromkeys(("task_objective", "core_idea", "data", "expected_outcome"), "text"),
        **dict.fromkeys(("related_work", "existing_solutions", "implementation_steps"), "{'1': 'known'}"),
        "evaluation_metrics": '{"error": null}',
        "related_work_test": "['new']",
        "keywords": ["prior"],
        "implementation_order": ["1-2"],
    },
    "experimental_reasoning": {
        "idx": "SGI_Reasoning_0000",
        "question": "Which?",
        "options": ["a", "b"],
        "answer": 1,
        "steps": ["look <img>"],
        "images": ["a.png"],
        "step_images": ["b.png"],
        **dict.fromkeys(("image_type", "discipline", "direction", "type"), "process"),
    },
}


def rows_of(family: Family, count: int = 2) -> list[dict[str, Any]]:
    """Rows in the released columns: generated ones, or written here where there is no generator."""
    if family in WRITTEN:
        first = WRITTEN[family]
        return [{**first, "idx": f"{first['idx'][:-1]}{k}"} for k in range(count)]
    made = (archived.row(family, index) for index in range(count))
    return [{key: row[key] for key in released.COLUMNS[family]} for row in made]


def write(path: Path, rows: list[dict[str, Any]], types: dict[str, pa.DataType] | None = None) -> Path:
    if path.suffix == ".parquet":
        table = pa.Table.from_pylist(rows)
        for name, kind in (types or {}).items():
            place = table.schema.get_field_index(name)
            table = table.set_column(place, name, table[name].cast(kind))
        with pq.ParquetWriter(path, table.schema) as writer:  # noqa: TID251
            writer.write_table(table)
    else:
        text = "".join(json.dumps(row) + "\n" for row in rows).encode()
        path.write_bytes(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)
    return path


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", ["test.parquet", "test.jsonl", "test.jsonl.gz"])
def test_every_family_is_read(tmp_path: Path, family: Family, name: str) -> None:
    rows = rows_of(family)
    found, report = load(write(tmp_path / name, rows), family)
    assert found == rows
    assert (report.rows, report.rejected, report.warnings, report.unavailable) == (2, [], [], [])
    assert report.disciplines.total() == 2
    # The hash is of the rows, whatever the format.
    assert load(write(tmp_path / "other.jsonl", rows), family)[1].sha256 == report.sha256


def test_a_folder_of_shards_is_read_in_order(tmp_path: Path) -> None:
    rows = rows_of("dry_experiment")
    for k, row in enumerate(rows):
        write(tmp_path / f"test-{k}.parquet", [row], {"runtime": pa.float16()})
    found, _ = load(tmp_path, "dry_experiment")
    assert [row["idx"] for row in found] == [row["idx"] for row in rows]


def test_pictures_are_hashed_by_their_bytes(tmp_path: Path) -> None:
    rows = rows_of("experimental_reasoning")
    pictures = [[{"bytes": bytes([value]), "path": "a.png"}] for value in (1, 2)]
    hashes = set()
    for k, images in enumerate(pictures):
        given = [{**row, "images": images, "step_images": images} for row in rows]
        found, report = load(
            write(tmp_path / f"{k}.parquet", given, {"answer": pa.int32()}), "experimental_reasoning"
        )
        assert found == given
        hashes.add(report.sha256)
    assert len(hashes) == 2


FAULTS: list[tuple[Family, str, Any, str]] = [
    ("dry_experiment", "idx", "SGX_DryExperiment_0000", "comes twice"),
    ("dry_experiment", "incomplete_functions", ["no_such"], "does not define no_such"),
    ("dry_experiment", "incomplete_functions", [], "does not define any function to fill"),
    ("dry_experiment", "main_code", "def (", "is no Python (SyntaxError)"),
    ("dry_experiment", "incomplete_main_code", "x = 1", "does not define"),
    ("dry_experiment", "unit_test_3_output", None, "holds NoneType"),
    ("wet_experiment", "question", None, "holds NoneType"),
    ("wet_experiment", "answer", "out = <Mix>(a=1)", "has fewer than two steps"),
    ("deep_research", "steps", None, "holds NoneType"),
    ("idea_generation", "related_work", "{open", "is neither a literal nor JSON"),
    ("idea_generation", "evaluation_metrics", "__import__('os')", "is neither a literal nor JSON"),
    ("experimental_reasoning", "answer", 2, "2 is no place among 2 options"),
    ("experimental_reasoning", "answer", -1, "-1 is no place among 2 options"),
]


@pytest.mark.parametrize(("family", "column", "value", "what"), FAULTS)
@pytest.mark.parametrize("suffix", ["parquet", "jsonl"])
def test_a_fault_is_named_with_file_row_and_column(
    tmp_path: Path, suffix: str, family: Family, column: str, value: Any, what: str
) -> None:
    rows = rows_of(family)
    rows[1][column] = value
    path = write(tmp_path / f"test.{suffix}", rows)
    where = "incomplete_main_code" if column == "incomplete_main_code" else column
    with pytest.raises(TableError) as caught:
        load(path, family)
    message = caught.value.message
    assert message.startswith(f"{path}, row 1, column ")
    assert what in message
    if column != "incomplete_functions":  # told of the code that lacks them
        assert f"row 1, column {where}: " in message
    good, report = load(path, family, strict=False)
    assert ([row["idx"] for row in good], report.rejected) == ([rows[0]["idx"]], [message])


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("suffix", ["parquet", "jsonl"])
def test_a_missing_column_and_a_wrong_type_are_named(tmp_path: Path, suffix: str, family: Family) -> None:
    for column in released.COLUMNS[family]:
        rows = rows_of(family, 1)
        del rows[0][column]
        with pytest.raises(TableError, match=f"row 0, column {column}: is missing"):
            load(write(tmp_path / f"a.{suffix}", rows), family)
        rows[0][column] = True
        with pytest.raises(TableError, match=f"row 0, column {column}: holds bool"):
            load(write(tmp_path / f"b.{suffix}", rows), family)


@pytest.mark.parametrize(
    ("name", "data", "what"),
    [
        ("a.jsonl", b'{"idx": ', "row 0: no JSON"),
        ("a.jsonl", b"\n[1]\n", "row 1: not an object"),
        ("a.jsonl", b"\xff\n", "cannot be read"),
        ("a.jsonl", b"[" * 100_000, "row 0: no JSON"),
        ("a.jsonl.gz", gzip.compress(b'{"idx": 1}\n', mtime=0)[:12], "cannot be read"),
        ("a.jsonl.gz", gzip.compress(b"", mtime=0)[:10] + b"\xff" * 20, "cannot be read"),
        ("a.jsonl.gz", b"no gzip", "cannot be read"),
        ("a.parquet", b"PAR1 and no more", "cannot be read"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, name: str, data: bytes, what: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(TableError, match=what) as caught:
        load(tmp_path / name, "wet_experiment")
    assert str(tmp_path / name) in caught.value.message


def test_a_strange_action_is_a_warning(tmp_path: Path) -> None:
    rows = rows_of("wet_experiment", 1)
    rows[0]["answer"] += '\n\nout_99 = <Sing>(\n    song="high",\n)'
    good, report = load(write(tmp_path / "a.jsonl", rows), "wet_experiment")
    assert len(good) == 1
    assert report.warnings == [f"{tmp_path / 'a.jsonl'}, row 0, column answer: not in the pool: Sing"]


def test_items_without_their_side_files_are_unavailable_and_kept(tmp_path: Path) -> None:
    (row,) = rows_of("dry_experiment", 1)
    names = [f"SGI_DryExperiment_{number}" for number in ("0001", *SIDE_FILES)]
    path = write(tmp_path / "a.jsonl", [{**row, "idx": name} for name in names])
    good, report = load(path, "dry_experiment")
    assert (len(good), report.unavailable) == (4, names[1:])
    for there, place in enumerate(SIDE_FILES.values(), 1):
        (tmp_path / "side" / place).mkdir(parents=True)
        _, report = load(path, "dry_experiment", side_data_dir=tmp_path / "side")
        assert report.unavailable == names[1 + there :]
