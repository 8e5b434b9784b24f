"""Diff: names the file, the column, the first row and both values."""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from assay.tables.schema import Column, Schema
from assay.tables.writer import write_table
from assay.verdict.comparison import Comparison, Difference, add_arguments, diff, main
from assay.verdict.manifest import Output, build_manifest, write_manifest

SUMS = Schema(
    "sums",
    1,
    (
        Column("agent", "string", ""),
        Column("step", "int64", "", nullable=True),
        Column("mean", "float64", "", nullable=True),
        Column("note", "string", "", nullable=True),
    ),
    key=("agent", "step"),
)


def rows(n: int = 10) -> list[dict[str, Any]]:
    return [
        {"agent": "a", "step": at or None, "mean": at / 2 if at % 3 else None, "note": f"n{at}"}
        for at in range(n)
    ]


def save(path: Path, content: list[dict[str, Any]], schema: Schema = SUMS) -> Path:
    write_table(content, path, schema)
    return path


def edited(at: int, **fields: Any) -> list[dict[str, Any]]:
    return [row | fields if number == at else row for number, row in enumerate(rows())]


@pytest.fixture
def one(tmp_path: Path) -> Path:
    return save(tmp_path / "one.parquet", rows())


@pytest.fixture
def other(tmp_path: Path) -> Path:
    return tmp_path / "other.parquet"


def whats(comparison: Comparison) -> list[str]:
    return [difference.what for difference in comparison.differences]


# ------------------------------------------------------------ tables


def test_equal_tables_are_equal(one: Path, other: Path) -> None:
    comparison = diff(one, save(other, rows()))
    assert (comparison.word, comparison.exit_code, comparison.text()) == ("equal", 0, "equal")


@pytest.mark.parametrize(
    ("at", "fields", "said"),
    [
        (0, {"note": "x"}, 'column note: 1 row differs, first (agent=a, step=null): "n0" against "x"'),
        (4, {"mean": 2.5}, "column mean: 1 row differs, first (agent=a, step=4): 2.0 against 2.5"),
        (4, {"mean": None}, "column mean: 1 row differs, first (agent=a, step=4): 2.0 against null"),
        (3, {"mean": 0.0}, "column mean: 1 row differs, first (agent=a, step=3): null against 0.0"),
        (9, {"note": None}, 'column note: 1 row differs, first (agent=a, step=9): "n9" against null'),
    ],
)
def test_one_changed_value_is_named(
    one: Path, other: Path, at: int, fields: dict[str, Any], said: str
) -> None:
    comparison = diff(one, save(other, edited(at, **fields)))
    assert comparison.exit_code == 1
    assert whats(comparison) == [said]
    (column, value), key = next(iter(fields.items())), {"agent": "a", "step": at or None}
    assert comparison.differences[0] == Difference(
        "one.parquet", said, column, key, rows()[at][column], value, rows=1
    )


def test_a_row_more_does_not_make_the_others_differ(one: Path, other: Path) -> None:
    comparison = diff(one, save(other, [row for row in edited(7, note="x") if row["step"] != 2]))
    assert whats(comparison) == [
        f"1 row only in {one}, first (agent=a, step=2)",
        'column note: 1 row differs, first (agent=a, step=7): "n7" against "x"',
    ]
    assert whats(diff(other, one))[0] == f"1 row only in {one}, first (agent=a, step=2)"


def test_rows_of_both_sides_are_paired_by_key(tmp_path: Path) -> None:
    """Against a comparison by dicts, over random tables."""
    for seed in range(20):
        draw = random.Random(seed)
        sides = []
        for name in ("a", "b"):
            steps = sorted(draw.sample(range(30), draw.randint(0, 20)))
            sides.append(
                {
                    s: {"agent": "a", "step": s, "mean": draw.choice([None, 0.5, 1.5]), "note": "n"}
                    for s in steps
                }
            )
            save(tmp_path / f"{name}.parquet", list(sides[-1].values()))
        a, b = sides
        found = diff(tmp_path / "a.parquet", tmp_path / "b.parquet")
        differing = [step for step in a if step in b and a[step]["mean"] != b[step]["mean"]]
        by_kind = {d.column or d.what.split(" only in ")[1][-11]: d for d in found.differences}
        assert ("mean" in by_kind) == bool(differing)
        if differing:
            assert (by_kind["mean"].rows, by_kind["mean"].key) == (
                len(differing),
                {"agent": "a", "step": differing[0]},
            )
        only = [d.rows for d in found.differences if " only in " in d.what]
        assert only == [n for n in (len(a.keys() - b.keys()), len(b.keys() - a.keys())) if n]


def test_columns_types_and_schemas_are_told(one: Path, other: Path) -> None:
    columns = (*SUMS.columns[:2], Column("mean", "int64", ""), Column("more", "bool", ""))
    content = [{"agent": "a", "step": n or None, "mean": n, "more": True} for n in range(10)]
    comparison = diff(one, save(other, content, Schema("sums", 2, columns, SUMS.key)))
    assert whats(comparison) == [
        "column mean: double against int64",
        "column note: string against nothing",
        "column more: nothing against bool",
        "schema sums 1 against sums 2",
    ]


def test_equal_content_in_other_bytes_is_remarked(one: Path, other: Path) -> None:
    pq.write_table(pq.read_table(one), other)  # noqa: TID251
    comparison = diff(one, other)
    assert comparison.exit_code == 0
    assert comparison.remarks == ("one.parquet: equal columns and rows in other bytes",)


def test_tables_without_a_key_are_compared_row_by_row(one: Path, other: Path) -> None:
    for path, content in ((one, rows()), (other, edited(4, mean=9.0)[:8])):
        save(path, content)
        pq.write_table(pq.read_table(path).replace_schema_metadata(None), path)  # noqa: TID251
    assert whats(diff(one, other)) == [
        f"2 rows only in {one}, first row 8",
        "column mean: 1 row differs, first row 4: 2.0 against 9.0",
    ]


def test_a_damaged_table_could_not_be_told(one: Path, other: Path) -> None:
    data = bytearray(save(other, rows()).read_bytes())
    chunk = pq.read_metadata(one).row_group(0).column(3)
    data[chunk.dictionary_page_offset + chunk.total_compressed_size - 1] ^= 1
    other.write_bytes(data)
    comparison = diff(one, other)
    assert comparison.exit_code == 2
    assert comparison.problems[0].startswith(f"{other}: column note cannot be read")
    assert comparison.remarks == ()
    other.write_bytes(data[:40])
    assert diff(one, other).exit_code == 2
    save(other, edited(4, mean=9.0))
    assert diff(one, other).exit_code == 1


def test_what_is_left_of_a_damaged_column_is_compared(one: Path, other: Path) -> None:
    """A page that fails its checksum may still be decoded: then row and values show the damage."""
    schema = Schema("plain", 1, (Column("n", "int64", ""), Column("data", "binary", "")), key=("n",))
    content = [{"n": n, "data": random.Random(n).randbytes(40)} for n in range(9)]
    data = save(one, content, schema).read_bytes()
    at = data.index(content[6]["data"]) + 7
    other.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    comparison = diff(one, other)
    assert comparison.exit_code == 1
    assert "column data cannot be read" in comparison.problems[0]
    (found,) = comparison.differences
    assert (found.column, found.key, found.rows, found.left) == ("data", {"n": 6}, 1, content[6]["data"])


def test_long_values_are_shown_where_they_part(one: Path, other: Path) -> None:
    long = "x" * 5000
    save(one, edited(4, note=f"{long}A{long}"))
    save(other, edited(4, note=f"{long}B{long}"))
    said = whats(diff(one, other))[0]
    assert len(said) < 300
    assert "xA" in said
    assert "xB" in said


# ------------------------------------------------------------ text


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        ("<svg>\n<a/>\n", "<svg>\n<b/>\n", 'line 2: "<a/>" against "<b/>"'),
        ("1\n2\n", "1\n2\n3\n", "line 3: only in {right}"),
        ("1\n2\n", "1\n", "line 2: only in {left}"),
        ('{"a": [1, {"b": 2}]}', '{"a": [1, {"b": 3}]}', "line 1, a[1].b: 2 against 3"),
        ('{}\n{"k": 1}\n', '{}\n{"k": 1, "l": 2}\n', "line 2, l: nothing against 2"),
        ('{"a": 1}', '{"a": 1.0}', "line 1, a: 1 against 1.0"),
        ('{"a": 1}', '{"a": true}', "line 1, a: 1 against true"),
        ('{"a": [1]}', '{"a": [1, 2]}', "line 1, a[1]: nothing against 2"),
        ('{"a": 1}', '{"a":1}', "line 1: the same values, written otherwise"),
    ],
)
def test_the_first_differing_line_or_value_is_named(tmp_path: Path, left: str, right: str, said: str) -> None:
    (tmp_path / "left.json").write_text(left)
    (tmp_path / "right.json").write_text(right)
    comparison = diff(tmp_path / "left.json", tmp_path / "right.json")
    assert comparison.exit_code == 1
    assert whats(comparison) == [said.format(left=tmp_path / "left.json", right=tmp_path / "right.json")]


def test_the_first_differing_byte_of_other_files_is_named(tmp_path: Path) -> None:
    data = b"\x89PNG\n" + bytes(range(128, 228))
    for at in (0, 5, 50, 104):
        (tmp_path / "a.png").write_bytes(data)
        (tmp_path / "b.png").write_bytes(data[:at] + bytes([data[at] ^ 128]) + data[at + 1 :])
        said = whats(diff(tmp_path / "a.png", tmp_path / "b.png"))
        assert said == [f"byte {at} is the first that differs"]


# ------------------------------------------------------------ trees and manifests


def tree(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_trees_name_files_added_removed_and_changed(tmp_path: Path) -> None:
    a = tree(tmp_path / "a", same="1", petri__x="1", old="1", petri__shards__0="1", logs__l="1")
    b = tree(tmp_path / "b", same="1", petri__x="2", new="1", petri__shards__0="2", logs__l="2")
    save(a / "petri/sums.parquet", rows())
    save(b / "petri/sums.parquet", edited(4, mean=9.0))
    comparison = diff(a, b)
    assert comparison.exit_code == 1
    assert [(d.file, d.what) for d in comparison.differences] == [
        ("new", f"only in {b}"),
        ("old", f"only in {a}"),
        ("petri/sums.parquet", "column mean: 1 row differs, first (agent=a, step=4): 2.0 against 9.0"),
        ("petri/x", "line 1: 1 against 2"),
    ]
    assert diff(a, a).exit_code == 0


def test_of_checkouts_the_results_are_compared(tmp_path: Path) -> None:
    a = tree(tmp_path / "a", results__x="1", reports__y="1", src__z="1")
    b = tree(tmp_path / "b", results__x="1", reports__y="2", src__z="2")
    assert [d.file for d in diff(a, b).differences] == ["reports/y"]


def test_nothing_to_compare_is_not_equal(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert diff(tmp_path / "a", tmp_path / "b").exit_code == 2
    assert diff(tmp_path / "a", tmp_path / "none").exit_code == 2
    (tmp_path / "file").write_text("")
    assert diff(tmp_path / "a", tmp_path / "file").exit_code == 2


def test_manifests_are_compared_by_file_and_column(tmp_path: Path) -> None:
    output = Output("sums.parquet", "table", "petri", "tables", ("a",), None)
    for name, content in (("one", rows()), ("two", edited(4, mean=9.0))):
        save(tmp_path / "sums.parquet", content)
        write_manifest(tmp_path / name, build_manifest(tmp_path, [output], ["petri"]))
    comparison = diff(tmp_path / "one", tmp_path / "two")
    assert whats(comparison) == ["changed  sums.parquet: columns mean"]
    (tmp_path / "two").write_text((tmp_path / "two").read_text()[:-40])
    assert diff(tmp_path / "one", tmp_path / "two").exit_code == 2


# ------------------------------------------------------------ the command


def test_the_command_prints_text_or_json(one: Path, other: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(other, edited(4, mean=9.0))
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    assert main(parser.parse_args([str(one), str(other)])) == 1
    assert capsys.readouterr().out.splitlines() == [
        "one.parquet",
        "  column mean: 1 row differs, first (agent=a, step=4): 2.0 against 9.0",
        "different",
    ]
    assert main(parser.parse_args([str(one), str(other), "--json"])) == 1
    value = json.loads(capsys.readouterr().out)
    assert value["differences"][0]["key"] == {"agent": "a", "step": 4}
    assert (value["differences"][0]["left"], value["differences"][0]["right"]) == (2.0, 9.0)
