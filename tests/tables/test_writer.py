"""Tables: equal content gives equal bytes; what is wrong is refused with its place and a remedy."""

from __future__ import annotations

import importlib
import pkgutil
import random
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import assay.tables.schemas
from assay.errors import TableError, WriteError
from assay.tables.reader import partition, read_frame, read_rows, read_table
from assay.tables.schema import Column, Schema
from assay.tables.writer import merge, rounded, write_table

THINGS = Schema(
    "things",
    3,
    (
        Column("agent", "string", "who"),
        Column("n", "int64", "which"),
        Column("step", "int64", "when", nullable=True),
        Column("value", "float64", "how much", nullable=True),
        Column("ok", "bool", "whether", nullable=True),
        Column("text", "string", "in words", nullable=True),
        Column("data", "binary", "in bytes", nullable=True),
    ),
    key=("agent", "n", "step"),
    partition="agent",
    group_rows=16,
)


def thing(n: int, /, **other: Any) -> dict[str, Any]:
    row = {
        "agent": "ab"[n // 50],
        "n": n,
        "step": None if n % 4 else n * 2**40,
        "value": None if n % 5 == 0 else n / 7,
        "ok": None if n % 6 == 0 else n % 2 == 0,
        "text": None if n % 7 == 0 else "é" * n,
        "data": None if n % 3 else bytes([n]) * n,
    }
    return row | other


ROWS = [thing(n) for n in range(100)]


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "things.parquet"
    assert write_table(ROWS, path, THINGS) == 100
    return path


# ------------------------------------------------------------ equal content, equal bytes


def pieces(table: pa.Table, sizes: Iterator[int]) -> pa.Table:
    cut, at = [], 0
    while at < table.num_rows:
        size = next(sizes)
        cut.append(table.slice(at, size))
        at += size
    return pa.concat_tables(cut)


@pytest.mark.parametrize("seed", range(6))
def test_chunks_of_an_arrow_table_leave_no_trace(written: Path, tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    table = pieces(read_table(written, THINGS), iter(lambda: draw.randint(1, 30), 0))
    assert table.column("n").num_chunks > 3
    write_table(table, tmp_path / "again.parquet", THINGS)
    assert (tmp_path / "again.parquet").read_bytes() == written.read_bytes()


@pytest.mark.parametrize(
    "form",
    [
        pytest.param(lambda path: (dict(reversed(row.items())) for row in ROWS), id="generator, other order"),
        pytest.param(lambda path: read_frame(path, THINGS), id="data frame"),
        pytest.param(lambda path: read_frame(path, THINGS).iloc[:, ::-1], id="data frame, other order"),
        pytest.param(lambda path: read_frame(path, THINGS).astype({"agent": "category"}), id="categories"),
        pytest.param(lambda path: read_rows(path, THINGS), id="rows"),
        pytest.param(
            lambda path: read_table(path, THINGS).set_column(
                0, "agent", read_table(path, THINGS).column("agent").cast(pa.large_string())
            ),
            id="large strings",
        ),
    ],
)
def test_the_form_of_the_rows_leaves_no_trace(written: Path, tmp_path: Path, form: Any) -> None:
    write_table(form(written), tmp_path / "again.parquet", THINGS)
    assert (tmp_path / "again.parquet").read_bytes() == written.read_bytes()


@pytest.mark.parametrize("size", [1, 7, 16, 17, 100])
def test_merged_shards_are_the_table(written: Path, tmp_path: Path, size: int) -> None:
    parts = []
    for start in range(0, 100, size):
        parts.append(tmp_path / f"{start}.parquet")
        write_table(ROWS[start : start + size], parts[-1], THINGS)
    assert merge(parts, tmp_path / "merged.parquet", THINGS) == 100
    assert (tmp_path / "merged.parquet").read_bytes() == written.read_bytes()


def test_shard_boundaries_leave_no_trace_where_pages_are_many(tmp_path: Path) -> None:
    """Chunk boundaries move data pages only where a column is longer than a page."""
    schema = Schema("long", 1, (Column("n", "int64", ""), Column("text", "string", "")), key=("n",))
    text = random.Random(1)
    rows = [{"n": n, "text": f"{text.getrandbits(2048):0512x}"} for n in range(6_000)]
    write_table(rows, tmp_path / "whole.parquet", schema)
    written = set()
    for number, sizes in enumerate(([1, 5_999], [2_500, 2_500, 1_000], [700] * 9)):
        at, parts = 0, []
        for size in sizes:
            parts.append(tmp_path / f"{number}.{at}.parquet")
            write_table(rows[at : at + size], parts[-1], schema)
            at += size
        merge(parts, tmp_path / "merged.parquet", schema)
        written.add((tmp_path / "merged.parquet").read_bytes())
    assert written == {(tmp_path / "whole.parquet").read_bytes()}


def test_bytes_do_not_depend_on_hash_seed_or_time_zone(tmp_path: Path) -> None:
    program = (
        "import sys; from assay.tables.writer import write_table;"
        "from assay.tables.schemas.scores import SCORES;"
        "row = dict(suite='s', task_set='t', agent='a', attempt=0, profile='p', metric='m', step=None,"
        " value=0.1, label='');"
        "write_table(({**row, 'task_id': str(n)} for n in range(1, 10)), sys.argv[1], SCORES)"
    )
    for number, environment in enumerate(
        ({"PYTHONHASHSEED": "1"}, {"PYTHONHASHSEED": "2", "TZ": "Asia/Tokyo"})
    ):
        subprocess.run(
            [sys.executable, "-c", program, str(tmp_path / f"{number}.parquet")],
            env={"PYTHONPATH": "src", **environment},
            check=True,
        )
    assert (tmp_path / "0.parquet").read_bytes() == (tmp_path / "1.parquet").read_bytes()


def test_what_is_written_is_read(written: Path) -> None:
    expected = [
        row | {"value": None if row["value"] is None else float(format(row["value"], ".12g"))} for row in ROWS
    ]
    assert read_rows(written, THINGS) == expected
    frame = read_frame(written, THINGS)
    assert frame["step"].dtype == pd.Int64Dtype()
    assert frame["ok"].dtype == pd.BooleanDtype()
    assert frame["step"].iloc[44] == 44 * 2**40
    assert frame["n"].dtype == np.int64


def test_empty_tables_are_tables(tmp_path: Path) -> None:
    assert write_table([], tmp_path / "a.parquet", THINGS) == 0
    assert merge([], tmp_path / "b.parquet", THINGS) == 0
    assert merge([tmp_path / "a.parquet"] * 2, tmp_path / "c.parquet", THINGS) == 0
    assert read_rows(tmp_path / "a.parquet", THINGS) == []
    assert list(read_frame(tmp_path / "a.parquet", THINGS).columns) == list(THINGS.names)
    assert len({(tmp_path / f"{name}.parquet").read_bytes() for name in "abc"}) == 1


def test_the_file_is_made_as_declared(written: Path) -> None:
    metadata = pq.read_metadata(written)
    assert [metadata.row_group(group).num_rows for group in range(7)] == [16] * 6 + [4]
    assert metadata.row_group(0).column(0).compression == "ZSTD"
    assert metadata.metadata[b"assay.schema"] == b"things"
    assert metadata.metadata[b"assay.version"] == b"3"
    assert b"ARROW:schema" not in metadata.metadata
    assert partition(written) == "agent"


# ------------------------------------------------------------ rounding


def test_rounding_is_that_of_the_decimal_text() -> None:
    bits = np.random.Generator(np.random.PCG64(7)).integers(0, 2**64, 10_000, dtype=np.uint64)
    values = bits.view(np.float64)
    values = values[np.isfinite(values) & (np.abs(values) < 1e300)]
    edges = [
        0.0,
        1e12,
        1e12 - 1,
        1e12 + 1,
        123456789012.5,
        2.0**53,
        -1e15 - 3,
        5e-324,
        0.1 + 0.2,
        1 / 3,
        1e22,
    ]
    values = np.concatenate([values, edges, np.arange(-500, 500) / 16])
    for digits in (1, 6, 12, 15, 17):
        expected = [float(f"{value:.{digits}g}") + 0.0 for value in values.tolist()]
        assert rounded(values, digits).tobytes() == np.array(expected).tobytes()


def test_negative_zero_is_zero(tmp_path: Path) -> None:
    for name, zero in (("a", 0.0), ("b", -0.0)):
        write_table([thing(1, value=zero)], tmp_path / name, THINGS)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_last_bits_do_not_show(tmp_path: Path) -> None:
    write_table([thing(1, value=0.1 + 0.2)], tmp_path / "a", THINGS)
    write_table([thing(1, value=0.3)], tmp_path / "b", THINGS)
    write_table([thing(1, value=0.3 + 1e-11)], tmp_path / "c", THINGS)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes() != (tmp_path / "c").read_bytes()


# ------------------------------------------------------------ the order of rows


@pytest.mark.parametrize(
    "keys",
    [
        [("a", 1, None), ("a", 1, -5), ("a", 1, 0), ("a", 2, None)],
        [("Z", 1, 0), ("a", 0, 0), ("é", 0, 0), ("\uffff", 0, 0), ("😀", 0, 0)],  # not UTF-16 order
        [("", 0, 0), ("a", 0, 0), ("a ", 0, 0), ("aa", 0, 0)],
        [("10", 0, 0), ("9", 0, 0)],
    ],
)
@pytest.mark.parametrize("split", [False, True])
def test_ascending_keys_are_taken_and_others_refused(
    tmp_path: Path, keys: list[tuple[str, int, int | None]], split: bool
) -> None:
    rows = [thing(1, agent=agent, n=n, step=step) for agent, n, step in keys]

    def write(chosen: list[dict[str, Any]]) -> None:
        if split:
            for at, row in enumerate(chosen):
                write_table([row], tmp_path / str(at), THINGS)
            merge([tmp_path / str(at) for at in range(len(chosen))], tmp_path / "out", THINGS)
        else:
            write_table(chosen, tmp_path / "out", THINGS)

    write(rows)
    (tmp_path / "out").unlink()
    for at in range(len(rows) - 1):
        swapped = [*rows[:at], rows[at + 1], rows[at], *rows[at + 2 :]]
        doubled = [*rows[: at + 1], rows[at], *rows[at + 1 :]]
        for wrong, word in ((swapped, "a smaller key"), (doubled, "the same key")):
            with pytest.raises(TableError, match=word) as caught:
                write(wrong)
            assert not (tmp_path / "out").exists()
            if split:
                assert str(tmp_path / str(at)) in str(caught.value)
                assert str(tmp_path / str(at + 1)) in str(caught.value)


@pytest.mark.parametrize("at", [15, 16, 17, 40])
def test_a_wrong_row_is_named_across_row_groups(tmp_path: Path, at: int) -> None:
    rows = [*ROWS[:at], ROWS[at - 1], *ROWS[at:]]
    with pytest.raises(TableError, match=f"row {at} of"):
        write_table(rows, tmp_path / "out", THINGS)


# ------------------------------------------------------------ what breaks the schema


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"value": float("nan")}, "column value .* is nan in row 20"),
        ({"value": float("inf")}, "column value .* is inf in row 20"),
        ({"agent": None}, "column agent .* is null in row 20"),
        ({"n": 20.5}, "column n "),
        ({"n": 2**63}, "column n "),
        ({"n": "20"}, "column n "),
        ({"ok": 1}, "column ok "),
        ({"text": 7}, "column text "),
        ({"text": "\ud800"}, "column text "),
        ({"more": 1}, "columns of row 20 .*unknown more"),
    ],
)
def test_a_wrong_value_is_named(tmp_path: Path, wrong: dict[str, Any], said: str) -> None:
    rows = [*ROWS[:20], thing(20, **wrong), *ROWS[21:]]
    with pytest.raises(TableError, match=said) as caught:
        write_table(rows, tmp_path / "out.parquet", THINGS)
    assert caught.value.remedy
    assert list(tmp_path.iterdir()) == []


def test_a_missing_column_is_named(tmp_path: Path, written: Path) -> None:
    row = thing(0)
    del row["text"]
    with pytest.raises(TableError, match=r"row 0 .*missing text"):
        write_table([row], tmp_path / "out", THINGS)
    with pytest.raises(TableError, match="missing text"):
        write_table(read_table(written, THINGS).drop_columns(["text"]), tmp_path / "out", THINGS)
    with pytest.raises(TableError, match="missing text"):
        write_table(read_frame(written, THINGS).drop(columns="text"), tmp_path / "out", THINGS)


@pytest.mark.parametrize("change", [{"n": 1.5}, {"value": np.inf}, {"agent": None}, {"text": 3}])
def test_a_wrong_data_frame_is_refused(tmp_path: Path, written: Path, change: dict[str, Any]) -> None:
    with pytest.raises(TableError, match=f"column {next(iter(change))} "):
        write_table(read_frame(written, THINGS).assign(**change), tmp_path / "out", THINGS)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Column("x", "int64", "", digits=3),
        lambda: Column("x", "float64", "", digits=0),
        lambda: Schema("s", 1, (Column("x", "int64", ""), Column("x", "int64", "")), ("x",)),
        lambda: Schema("s", 1, (Column("x", "int64", ""),), ()),
        lambda: Schema("s", 1, (Column("x", "int64", ""),), ("y",)),
        lambda: Schema("s", 1, (Column("x", "float64", ""),), ("x",)),
        lambda: Schema("s", 1, (Column("x", "int64", ""),), ("x",), partition="x"),
    ],
)
def test_a_wrong_declaration_is_refused(make: Any) -> None:
    with pytest.raises(ValueError, match=r"schema s|column x"):
        make()


# ------------------------------------------------------------ failures of writing


def test_a_full_disk_leaves_the_old_file_and_nothing_else(written: Path) -> None:
    before = written.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, hard))  # fails as a full disk does: in write(2)
    try:
        with pytest.raises(WriteError, match=str(written)) as caught:
            write_table(ROWS, written, THINGS)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "make room" in caught.value.remedy
    assert written.read_bytes() == before
    assert list(written.parent.iterdir()) == [written]


def test_rows_that_fail_half_way_leave_nothing(tmp_path: Path) -> None:
    def rows() -> Iterator[dict[str, Any]]:
        yield from ROWS[:60]
        raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        write_table(rows(), tmp_path / "out.parquet", THINGS)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WriteError, match="file/out"):
        write_table(ROWS, tmp_path / "file" / "out", THINGS)


# ------------------------------------------------------------ reading


@pytest.mark.parametrize(
    "where",
    [
        {"agent": "a"},
        {"agent": "b", "n": 63},
        {"n": 17},
        {"step": None},
        {"step": 44 * 2**40},
        {"ok": True},
        {"agent": "c"},
        {"text": "é"},
    ],
)
def test_a_filter_keeps_what_a_loop_would_keep(written: Path, where: dict[str, Any]) -> None:
    expected = [row for row in read_rows(written, THINGS) if all(row[k] == v for k, v in where.items())]
    assert read_rows(written, THINGS, where=where) == expected
    assert bool(expected) == (where != {"agent": "c"})


def test_a_filter_by_no_column_is_refused(written: Path) -> None:
    with pytest.raises(ValueError, match="has no column who"):
        read_rows(written, THINGS, where={"who": "a"})


def test_every_flipped_byte_is_an_error_or_harmless(written: Path) -> None:
    """Pages have checksums, the footer has none: what is read is the table, or nothing is."""
    data, expected = written.read_bytes(), read_table(written, THINGS)
    draw = random.Random(3)
    refused = 0
    for at in draw.sample(range(len(data)), 250):
        damaged = bytearray(data)
        damaged[at] ^= draw.randint(1, 255)
        written.write_bytes(damaged)
        try:
            assert read_table(written, THINGS).equals(expected)
        except TableError as problem:
            refused += 1
            assert str(written) in problem.message
            assert "delete it" in problem.remedy
    assert refused > 125


def test_a_damaged_column_is_named(written: Path) -> None:
    at = pq.read_metadata(written).row_group(2).column(3).data_page_offset
    damaged = bytearray(written.read_bytes())
    damaged[at + 40] ^= 1
    written.write_bytes(damaged)
    with pytest.raises(TableError, match="column value, row group 2"):
        read_table(written, THINGS)


@pytest.mark.parametrize("keep", [0, 1, 4, 100, 0.5, -1, -8, -100])
def test_truncated_files_are_refused(written: Path, keep: float) -> None:
    data = written.read_bytes()
    written.write_bytes(data[: int(len(data) * keep) if isinstance(keep, float) else keep])
    with pytest.raises(TableError, match=str(written)):
        read_table(written, THINGS)
    with pytest.raises(TableError, match=str(written)):
        merge([written], written.with_name("merged"), THINGS)


def test_missing_and_foreign_files_are_refused(tmp_path: Path, written: Path) -> None:
    with pytest.raises(TableError, match="does not exist"):
        read_table(tmp_path / "none.parquet", THINGS)
    (tmp_path / "text").write_text("no Parquet\n")
    with pytest.raises(TableError, match="cannot be read as Parquet"):
        read_table(tmp_path / "text", THINGS)
    pq.write_table(read_table(written, THINGS), tmp_path / "foreign")  # noqa: TID251
    with pytest.raises(TableError, match="no table of Assay"):
        read_table(tmp_path / "foreign", THINGS)
    for other in (
        Schema("things", 4, THINGS.columns, THINGS.key),
        Schema("others", 3, THINGS.columns, THINGS.key),
    ):
        with pytest.raises(TableError, match="holds things 3, not"):
            read_table(written, other)
    narrow = Schema("things", 3, (*THINGS.columns[:-1], Column("data", "string", "")), THINGS.key)
    with pytest.raises(TableError, match="column data holds binary, not string"):
        read_table(written, narrow)


# ------------------------------------------------------------ the declared tables


def declared() -> dict[str, Schema]:
    modules = [
        importlib.import_module(f"assay.tables.schemas.{m.name}")
        for m in pkgutil.iter_modules(assay.tables.schemas.__path__)
    ]
    return {
        name: value for module in modules for name, value in vars(module).items() if isinstance(value, Schema)
    }


def test_every_declared_table_can_be_written(tmp_path: Path) -> None:
    found = declared()
    assert {
        "TASKS",
        "EPISODES",
        "EVENTS",
        "BLOBS",
        "CALIBRATION",
        "VALIDATION",
        "SCORES",
        "AUDIT",
        "SUMMARY",
    } <= set(found)
    assert len({schema.name for schema in found.values()}) == len(found)
    filled = {"string": "x", "int64": 1, "float64": 0.5, "bool": True, "binary": b"x"}
    for schema in found.values():
        row = {column.name: filled[column.type] for column in schema.columns}
        path = tmp_path / schema.name
        write_table([row], path, schema)
        assert read_rows(path, schema) == [row]
        assert partition(path) == schema.partition
        assert all(column.doc for column in schema.columns)
        nullable = {column.name: None for column in schema.columns if column.nullable}
        write_table([row | nullable], path, schema)
        assert read_rows(path, schema) == [row | nullable]


def test_declarations_cost_no_import_of_the_science_stack() -> None:
    names = [
        f"assay.tables.schemas.{module.name}"
        for module in pkgutil.iter_modules(assay.tables.schemas.__path__)
    ]
    program = (
        f"import sys, {', '.join(names)}; sys.exit(bool({{'numpy', 'pyarrow', 'pandas'}} & set(sys.modules)))"
    )
    assert (
        subprocess.run([sys.executable, "-c", program], env={"PYTHONPATH": "src"}, check=False).returncode
        == 0
    )
