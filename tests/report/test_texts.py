"""CSV and Markdown beside Parquet: the same values, read back by another reader."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

from assay.report.exports.texts import write_csv, write_markdown
from assay.tables.schema import Column, Schema
from assay.tables.writer import write_table

SCHEMA = Schema(
    "things",
    1,
    (
        Column("name", "string", "a name"),
        Column("n", "int64", "a number", nullable=True),
        Column("x", "float64", "a measure", nullable=True),
        Column("good", "bool", "whether", nullable=True),
    ),
    key=("name",),
)

ROWS = [
    {"name": "", "n": None, "x": None, "good": None},
    {"name": '<script>"a, b"</script>', "n": -3, "x": 0.1, "good": True},
    {"name": "two\nlines", "n": 2**53, "x": 1e-300, "good": False},
    {"name": "é – ü", "n": 0, "x": -0.0, "good": True},
]


def test_another_reader_reads_the_same_values(tmp_path: Path) -> None:
    write_table(ROWS, tmp_path / "t.parquet", SCHEMA)
    write_csv(tmp_path / "t.parquet", tmp_path / "t.csv")
    back = pd.read_csv(tmp_path / "t.csv", keep_default_na=False, dtype=str)
    assert list(back.columns) == list(SCHEMA.names)
    assert back["name"].tolist() == [row["name"] for row in ROWS]
    assert [None if n == "" else int(n) for n in back["n"]] == [row["n"] for row in ROWS]
    assert [None if x == "" else float(x) for x in back["x"]] == [row["x"] for row in ROWS]
    assert back["good"].tolist() == ["", "true", "false", "true"]


def test_no_text_is_calculated_by_a_spreadsheet(tmp_path: Path) -> None:
    hostile = (
        "=1+1",
        "@SUM(1)",
        "+1+1",
        "-1+1",
        "\t=1",
        "\r=1",
        " =1",
        "\uff1d1",
        "\n=1",
        "-cmd|'/C calc'!A0",
    )
    harmless = ("a=1", "'=1", "-0.5", "+3", "1e-05", "-1.5e+300", "")
    for text in (*hostile, *harmless):
        write_table([{**ROWS[0], "name": text}], tmp_path / "t.parquet", SCHEMA)
        write_csv(tmp_path / "t.parquet", tmp_path / "t.csv")
        back = pd.read_csv(tmp_path / "t.csv", keep_default_na=False, dtype=str)["name"].tolist()
        assert back == [("'" if text in hostile else "") + text]


def test_a_table_without_rows_has_its_header(tmp_path: Path) -> None:
    write_table([], tmp_path / "t.parquet", SCHEMA)
    write_csv(tmp_path / "t.parquet", tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "name,n,x,good\n"


def test_markdown_has_the_same_cells_and_no_markup(tmp_path: Path) -> None:
    hostile = "a|b <b>c</b> *d* [e](f) \\ `g` _h_ i_j"
    rows = sorted([*ROWS, {**ROWS[0], "name": hostile}], key=lambda row: row["name"])
    write_table(rows, tmp_path / "t.parquet", SCHEMA)
    write_markdown(tmp_path / "t.parquet", tmp_path / "t.md")
    lines = (tmp_path / "t.md").read_text(encoding="utf-8").split("\n")
    assert lines[:2] == ["| name | n | x | good |", "| --- | ---: | ---: | --- |"]
    assert len(lines) == 2 + len(ROWS) + 1 + 1 and lines[-1] == ""
    cells = [
        [re.sub(r"\\(.)", r"\1", cell) for cell in re.split(r"(?<!\\) \| ", line[2:-2])]
        for line in lines[2:-1]
    ]
    named = {row[0]: row for row in cells}
    assert set(named) == {"", '<script>"a, b"</script>', "two lines", "é – ü", hostile}
    assert named["two lines"][1:] == [str(2**53), "1e-300", "false"]
    assert not any(re.search(r"(?<!\\)[<*`]", line) for line in lines)
