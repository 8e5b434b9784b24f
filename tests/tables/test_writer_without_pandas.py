"""A job that needs no data frame does not pay for pandas; one that does gets the same bytes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = """\
import sys
{first}
from assay.tables.schema import Column, Schema
from assay.tables.reader import read_frame, read_rows
from assay.tables.writer import write_table

schema = Schema("made", 1, (
    Column("key", "string", "a key"),
    Column("whole", "int64", "a whole number", nullable=True),
    Column("real", "float64", "a number", nullable=True),
    Column("truth", "bool", "a truth value", nullable=True),
    Column("text", "string", "a text", nullable=True),
), key=("key",))
rows = [
    {{"key": "a", "whole": 1, "real": 0.5, "truth": True, "text": "x"}},
    {{"key": "b", "whole": None, "real": None, "truth": None, "text": None}},
]
write_table(rows, "rows.parquet", schema)
assert list(read_rows("rows.parquet", schema)) == rows
print("pandas" in sys.modules)

frame = read_frame("rows.parquet", schema)
write_table(frame, "frame.parquet", schema)
assert open("frame.parquet", "rb").read() == open("rows.parquet", "rb").read()
import pandas as pd
plain = pd.DataFrame(rows)  # as a suite makes it: objects, and NaN for what is missing
write_table(plain.astype({{"whole": "Int64"}}), "plain.parquet", schema)
assert open("plain.parquet", "rb").read() == open("rows.parquet", "rb").read()
"""


def run(folder: Path, first: str) -> str:
    folder.mkdir()
    program = [sys.executable, "-c", PROGRAM.format(first=first)]
    done = subprocess.run(program, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_pandas_is_imported_only_where_it_is_used(tmp_path):
    assert run(tmp_path / "without", "") == "False\n"
    assert run(tmp_path / "with", "import pandas") == "True\n"
    first, second = ((tmp_path / name / "frame.parquet").read_bytes() for name in ("without", "with"))
    assert first == second
