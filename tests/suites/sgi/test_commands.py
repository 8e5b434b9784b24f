"""The command line, and the reader of released files: what users type, and what they get wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.cli import main
from assay.errors import TableError
from assay.suites.sgi import items, released
from assay.suites.sgi.families import Family
from assay.suites.sgi.wet import items as wet


def test_sampled_items_are_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [tmp_path / name for name in ("a", "b")]
    for folder, n in zip(folders, ("3", "2"), strict=True):
        arguments = ["--family", "wet_experiment", "--seed", "7", "--n", n, "--out", str(folder)]
        assert main(["sgi", "sample", *arguments]) == 0
    first = [folder / "SGX_WetExperiment_0001.json" for folder in folders]
    assert first[0].read_bytes() == first[1].read_bytes()  # an item does not depend on their number
    item = json.loads(first[0].read_text())
    (tmp_path / "reply.txt").write_text(wet.solve(item))
    capsys.readouterr()
    arguments = [str(first[0]), str(tmp_path / "reply.txt"), "--profile", "objective", "--json"]
    assert main(["sgi", "score", *arguments]) == 0
    assert json.loads(capsys.readouterr().out)["headline"] == 1.0


def test_errors_name_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "item.json").write_text("{}")
    assert main(["sgi", "score", str(tmp_path / "item.json"), "nowhere.txt"]) == 1
    assert "item.json: column idx is missing" in capsys.readouterr().err


@pytest.mark.parametrize("family", ["wet_experiment", "dry_experiment"])
@pytest.mark.parametrize("suffix", ["parquet", "jsonl"])
def test_generated_items_are_in_the_released_schema(tmp_path: Path, family: Family, suffix: str) -> None:
    rows = [items.generate(family, 1, index) for index in range(3)]
    plain = [{key: row[key] for key in released.COLUMNS[family]} for row in rows]
    path = tmp_path / f"test.{suffix}"
    write(path, plain)
    found, report = released.load(path, family)
    assert found == plain
    assert (report.rows, report.rejected, report.warnings) == (3, [], [])


def write(path: Path, rows: list[dict[str, object]]) -> None:
    if path.suffix == ".parquet":
        with pq.ParquetWriter(path, pa.Table.from_pylist(rows).schema) as writer:  # noqa: TID251
            writer.write_table(pa.Table.from_pylist(rows))
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.mark.parametrize(
    ("column", "value", "what"),
    [
        ("idx", "SGX_DryExperiment_0000", "comes twice"),
        ("incomplete_functions", ["no_such"], "does not define no_such"),
        ("main_code", "def (", "is no Python"),
        ("question", 5, "holds int"),
        ("unit_test_3_output", None, "holds NoneType"),
    ],
)
def test_a_fault_is_named_with_row_and_column(tmp_path: Path, column: str, value: object, what: str) -> None:
    rows = [items.generate("dry_experiment", 1, index) for index in range(2)]
    rows[1][column] = value
    path = tmp_path / "test.jsonl"
    write(path, rows)
    with pytest.raises(TableError, match="row 1, column") as caught:
        released.load(path, "dry_experiment")
    assert what in caught.value.message
    good, report = released.load(path, "dry_experiment", strict=False)
    assert (len(good), len(report.rejected)) == (1, 1)
