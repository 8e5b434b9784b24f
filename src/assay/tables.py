"""Writing and reading Parquet so that equal content gives equal bytes.

Everything that shows in the bytes is fixed here: column order and types, the order of rows (checked, never
made), rounding of floats, row groups, encoding, compression. What the file's bytes still depend on is the
writer's version, whose name pyarrow puts into the footer; `assay.digest` has hashes that do not.
"""

from __future__ import annotations

import json
import operator
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from assay.errors import TableError, WriteError
from assay.schema import DIGITS, Column, Schema

__all__ = [
    "DAMAGED",
    "UNREADABLE",
    "merge",
    "one_line",
    "opened",
    "partition",
    "read_frame",
    "read_rows",
    "read_table",
    "rounded",
    "write_table",
]

Rows: TypeAlias = "Iterable[Mapping[str, Any]] | Any"
"""Mappings from column name to value, a `pyarrow.Table` or a `pandas.DataFrame`."""

DAMAGED = "delete it and run `make reproduce`: whatever lies below results/ is made again"

UNREADABLE = (pa.ArrowException, OSError, ValueError)
"""What pyarrow raises over a damaged file."""

_ARROW = {
    "string": pa.string(),
    "int64": pa.int64(),
    "float64": pa.float64(),
    "bool": pa.bool_(),
    "binary": pa.binary(),
}


class _Hidden:
    """A finder that finds everything but pandas."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("No module named 'pandas'", name=name)


def _spare_pandas() -> None:
    """Keep pyarrow from importing pandas, half of what a short job costs, to ask if a list is a data frame.

    It looks once, at its first conversion, and again when it has to make something of pandas.
    """
    if "pandas" not in sys.modules:
        sys.meta_path.insert(0, _Hidden)
        try:
            pa.array([0])
        finally:
            sys.meta_path.remove(_Hidden)


_spare_pandas()


def write_table(rows: Rows, path: Path | str, schema: Schema) -> int:
    """Write one table; returns the number of its rows.

    Equal rows give equal bytes, whatever form and pieces they come in. The file appears whole or not at all.
    `TableError` names column and row where the rows break the schema, `WriteError` says that the file could
    not be written.
    """
    return _write(_pieces(rows, schema), Path(path), schema)


def merge(parts: Sequence[Path | str], path: Path | str, schema: Schema) -> int:
    """Write the rows of `parts`, in that order, as one table; returns the number of rows.

    The boundaries of the parts leave no trace, and memory holds about one row group, whatever their size.
    Without parts the table is empty. `TableError` names both parts where their keys do not ascend.
    """
    return _write((piece for part in parts for piece in _groups(Path(part), schema)), Path(path), schema)


def read_table(path: Path | str, schema: Schema, where: Mapping[str, Any] | None = None) -> pa.Table:
    """The rows of a table, in the order of its key.

    `where` keeps the rows whose columns have these values (null: `None`); of row groups without such a row
    only these columns are read. `TableError` names file, column and remedy where the file is damaged or
    another table.
    """
    held = [piece for piece, _ in _groups(Path(path), schema, where or {})]
    return pa.concat_tables(held) if held else _arrow(schema).empty_table()


def read_rows(
    path: Path | str, schema: Schema, where: Mapping[str, Any] | None = None
) -> list[dict[str, Any]]:
    """The rows of a table as dicts, see `read_table`."""
    rows: list[dict[str, Any]] = read_table(path, schema, where).to_pylist()
    return rows


def read_frame(path: Path | str, schema: Schema, where: Mapping[str, Any] | None = None) -> Any:
    """The rows of a table as a pandas data frame, see `read_table`.

    Nullable whole numbers and truth values keep their type (`Int64`, `boolean`).
    """
    import pandas as pd

    table = read_table(path, schema, where)
    frame = {}
    for column in schema.columns:
        values = table.column(column.name)
        if column.nullable and column.type in ("int64", "bool"):
            wide: Any = pd.Int64Dtype() if column.type == "int64" else pd.BooleanDtype()
            frame[column.name] = pd.Series(wide.__from_arrow__(values))
        else:
            frame[column.name] = values.to_pandas()
    return pd.DataFrame(frame)


def partition(path: Path | str) -> str | None:
    """The column that a table declares as its partition (see `Schema`); null where it declares none."""
    with opened(path) as file:
        declared = (file.schema_arrow.metadata or {}).get(b"assay.partition", b"")
    return declared.decode() or None


def rounded(values: np.ndarray[Any, np.dtype[np.float64]], digits: int = DIGITS) -> np.ndarray[Any, Any]:
    """Finite floats rounded to `digits` significant decimal digits, half-way cases by their exact value.

    Negative zero becomes zero. The same bits on every machine: each value is the float nearest to a decimal
    text, and both steps are exactly defined.
    """
    values = values + 0.0  # a copy, and -0.0 + 0.0 is 0.0
    # A whole number of at most `digits` digits is its own decimal text.
    long = (values != np.trunc(values)) | (np.abs(values) >= 10.0**digits)
    form = f".{digits}g"
    values[long] = [float(format(value, form)) for value in values[long].tolist()]
    return values


@contextmanager
def opened(path: Path | str) -> Iterator[pq.ParquetFile]:
    """Any Parquet file, open for reading; `TableError` where it does not exist or is none."""
    try:
        file = pq.ParquetFile(path, page_checksum_verification=True)
    except FileNotFoundError as problem:
        raise TableError(f"{path} does not exist", f"make it: snakemake --cores all -- {path}") from problem
    except UNREADABLE as problem:
        raise TableError(f"{path} cannot be read as Parquet ({one_line(problem)})", DAMAGED) from problem
    with file:
        yield file


def one_line(problem: BaseException) -> str:
    """What an exception says, on one line of at most 200 characters."""
    text = " ".join(str(problem).split())
    return text if len(text) <= 200 else text[:197] + "..."


# ------------------------------------------------------------ into Arrow


def _arrow(schema: Schema) -> pa.Schema:
    return pa.schema(
        [pa.field(column.name, _ARROW[column.type], column.nullable) for column in schema.columns]
    )


def _identity(schema: Schema) -> dict[str, str]:
    """What the file says about itself, so that it can be compared without the module that declares it."""
    return {
        "assay.key": json.dumps(schema.key),
        "assay.partition": schema.partition or "",
        "assay.schema": schema.name,
        "assay.version": str(schema.version),
    }


_Piece: TypeAlias = "tuple[Any, str]"
"""A table that fits the schema, and in words where it comes from."""


def _pieces(rows: Rows, schema: Schema) -> Iterator[_Piece]:
    if isinstance(rows, pa.Table):
        _check_names(rows.column_names, schema)
        for start in range(0, rows.num_rows, schema.group_rows):
            part = rows.slice(start, schema.group_rows).combine_chunks()
            columns = [_cast(part.column(column.name), column, schema) for column in schema.columns]
            yield _table(columns, schema, start), "the rows"
    elif "pandas" in sys.modules and isinstance(rows, sys.modules["pandas"].DataFrame):
        _check_names(list(rows.columns), schema)
        pa.nulls(0).to_pandas()  # from now on pyarrow knows the types of pandas, see `_spare_pandas`
        for start in range(0, len(rows), schema.group_rows):
            frame = rows.iloc[start : start + schema.group_rows]
            columns = [
                _column(frame[column.name], column, schema, start, from_pandas=True)
                for column in schema.columns
            ]
            yield _table(columns, schema, start), "the rows"
    else:
        names = set(schema.names)
        remaining, start = iter(rows), 0
        while batch := list(islice(remaining, schema.group_rows)):
            for at, row in enumerate(batch, start):
                if row.keys() != names:
                    _check_names(list(row), schema, f" of row {at}")
            columns = [
                _column([row[column.name] for row in batch], column, schema, start)
                for column in schema.columns
            ]
            yield _table(columns, schema, start), "the rows"
            start += len(batch)


def _check_names(found: list[str], schema: Schema, place: str = "") -> None:
    missing = [name for name in schema.names if name not in found]
    unknown = [str(name) for name in found if name not in schema.names]
    if missing or unknown:
        said = [f"missing {', '.join(missing)}"] * bool(missing) + [f"unknown {', '.join(unknown)}"] * bool(
            unknown
        )
        raise TableError(
            f"the columns{place} are not those of the table {schema.name}: {'; '.join(said)}",
            f"give exactly {', '.join(schema.names)}",
        )


def _cast(values: pa.ChunkedArray, column: Column, schema: Schema) -> pa.Array:
    try:
        return values.combine_chunks().cast(_ARROW[column.type])
    except (pa.ArrowException, ValueError) as problem:
        raise _wrong(column, schema, problem) from problem


def _column(
    values: Any, column: Column, schema: Schema, start: int, *, from_pandas: bool = False
) -> pa.Array:
    try:
        if column.type == "int64" and not from_pandas:
            # pyarrow would cut 1.5 to 1; a whole number is what can be an index
            values = [None if value is None else operator.index(value) for value in values]
        made = pa.array(values, _ARROW[column.type], from_pandas=from_pandas)
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as problem:
        raise _wrong(column, schema, problem, start) from problem
    return made.combine_chunks() if isinstance(made, pa.ChunkedArray) else made


def _wrong(column: Column, schema: Schema, problem: Exception, start: int | None = None) -> TableError:
    place = "" if start is None else f", at or after row {start}"
    return TableError(
        f"column {column.name} of the table {schema.name} must hold {column.type}{place} ({problem})",
        f"correct who makes {column.name} ({column.doc}), or its declaration in assay.schemas",
    )


def _table(columns: list[pa.Array], schema: Schema, start: int) -> pa.Table:
    made = []
    for array, column in zip(columns, schema.columns, strict=True):
        if array.null_count and not column.nullable:
            at = start + pc.index(pc.is_null(array), True).as_py()
            raise TableError(
                f"column {column.name} of the table {schema.name} is null in row {at}",
                f"give a value, or declare the column nullable ({column.doc})",
            )
        made.append(_rounded(array, column, schema, start) if column.type == "float64" else array)
    return pa.Table.from_arrays(made, schema=_arrow(schema))


def _rounded(array: pa.Array, column: Column, schema: Schema, start: int) -> pa.Array:
    given = array.fill_null(0.0).to_numpy(zero_copy_only=False)
    if not np.isfinite(given).all():
        at = int(np.flatnonzero(~np.isfinite(given))[0])
        raise TableError(
            f"column {column.name} of the table {schema.name} is {given[at]} in row {start + at}",
            "a number that does not exist is null: a table holds finite floats only",
        )
    assert column.digits is not None
    return pa.array(rounded(given, column.digits), pa.float64(), mask=_nulls(array))


def _nulls(array: pa.Array) -> np.ndarray[Any, Any] | None:
    return array.is_null().to_numpy(zero_copy_only=False) if array.null_count else None


# ------------------------------------------------------------ the order of rows


class _Order:
    """Checks piece after piece that keys ascend."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._last: list[Any] | None = None
        self._source = ""
        self._rows = 0

    def check(self, table: pa.Table, source: str) -> None:
        """`TableError` where a key does not lie above the one before it, in this piece or the last."""
        if not table.num_rows:
            return
        keys = [table.column(name).combine_chunks() for name in self._schema.key]
        first, last = ([key[at].as_py() for key in keys] for at in (0, table.num_rows - 1))
        if self._last is not None and not _rank(self._last) < _rank(first):
            self._refuse(self._last, first, source, self._rows)
        if table.num_rows > 1:
            at = _first_descent(keys)
            if at is not None:
                self._source = source
                before, after = ([key[row].as_py() for key in keys] for row in (at, at + 1))
                self._refuse(before, after, source, self._rows + at + 1)
        self._last, self._source, self._rows = last, source, self._rows + table.num_rows

    def _refuse(self, before: list[Any], after: list[Any], source: str, row: int) -> None:
        names = ", ".join(self._schema.key)
        what = "the same key" if before == after else "a smaller key"
        where = f"row {row} of {source}" if source == self._source else f"{source}, after {self._source},"
        raise TableError(
            f"{where} has {what} in the table {self._schema.name}: {_shown(after)} after {_shown(before)}"
            f" ({names})",
            f"give every row once, sorted by {names} (null first, text by code point), parts in that order",
        )


def _shown(key: list[Any]) -> str:
    return "(" + ", ".join("null" if value is None else str(value) for value in key) + ")"


def _rank(key: list[Any]) -> list[tuple[bool, Any]]:
    return [(False, 0) if value is None else (True, value) for value in key]


def _first_descent(keys: list[pa.Array]) -> int | None:
    """The first row whose successor does not lie above it; null where there is none."""
    rows = len(keys[0]) - 1
    tied = np.ones(rows, dtype=bool)
    ascends = np.zeros(rows, dtype=bool)
    for key in keys:
        before, after = key.slice(0, rows), key.slice(1)
        less = pc.less(before, after).fill_null(False).to_numpy(zero_copy_only=False)
        same = pc.equal(before, after).fill_null(False).to_numpy(zero_copy_only=False)
        if key.null_count:
            none_before, none_after = (a.is_null().to_numpy(zero_copy_only=False) for a in (before, after))
            less = less | (none_before & ~none_after)
            same = same | (none_before & none_after)
        ascends |= tied & less
        tied &= same
    descents = np.flatnonzero(~ascends)
    return int(descents[0]) if len(descents) else None


# ------------------------------------------------------------ out to a file


def _write(pieces: Iterable[_Piece], path: Path, schema: Schema) -> int:
    tables = _regrouped(_ordered(pieces, schema), schema.group_rows)
    rows = 0
    # Hidden and beside its destination, so that the last step is a rename within one file system.
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with _writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            writer = _writer(temporary, schema)
        try:
            for table in tables:
                with _writing(path):
                    writer.write_table(table, row_group_size=schema.group_rows)
                rows += table.num_rows
        except BaseException:
            with suppress(OSError):
                writer.close()
            raise
        with _writing(path):
            writer.close()
            temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink()
    return rows


def _writer(path: Path, schema: Schema) -> Any:
    writer = pq.ParquetWriter(  # noqa: TID251
        str(path),
        _arrow(schema),
        version="2.6",
        data_page_version="1.0",
        compression="zstd",
        compression_level=3,
        # Digests and pictures do not repeat; a dictionary of them would only be given up again.
        use_dictionary=[column.name for column in schema.columns if column.type != "binary"],
        dictionary_pagesize_limit=1 << 20,
        data_page_size=1 << 20,
        write_batch_size=1024,
        max_rows_per_page=20_000,
        write_statistics=list(schema.key),
        write_page_checksum=True,
        write_page_index=False,
        # pyarrow's own copy of the schema would tie the bytes to its version.
        store_schema=False,
    )
    writer.add_key_value_metadata(_identity(schema))
    return writer


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        raise WriteError(
            f"{path} could not be written ({one_line(problem)})",
            f"make room, or make {path.parent} writable; then run the same command again",
        ) from problem


def _ordered(pieces: Iterable[_Piece], schema: Schema) -> Iterator[pa.Table]:
    order = _Order(schema)
    for table, source in pieces:
        order.check(table, source)
        yield table


def _regrouped(tables: Iterable[pa.Table], rows: int) -> Iterator[pa.Table]:
    """The same rows in tables of exactly `rows` rows, the last one shorter, each of one chunk a column.

    Chunk boundaries would move the pages of the file.
    """
    held: list[pa.Table] = []
    count = 0
    for table in tables:
        while count + table.num_rows >= rows:
            yield pa.concat_tables([*held, table.slice(0, rows - count)]).combine_chunks()
            table = table.slice(rows - count)
            held, count = [], 0
        if table.num_rows:
            held.append(table)
            count += table.num_rows
    if held:
        yield pa.concat_tables(held).combine_chunks()


# ------------------------------------------------------------ back from a file


def _groups(path: Path, schema: Schema, where: Mapping[str, Any] | None = None) -> Iterator[_Piece]:
    """The row groups of a file of that schema, each as one table."""
    for name in where or {}:
        schema.column(name)
    expected = _arrow(schema)
    with opened(path) as file:
        _check_identity(path, file, expected, schema)
        for group in range(file.num_row_groups):
            if not where:
                yield _group(path, file, group, expected), str(path)
                continue
            # The values decide, not the statistics in the footer: those have no checksum.
            keep = _matches(_group(path, file, group, expected, list(where)), where)
            if keep.any():
                yield _group(path, file, group, expected).filter(pa.array(keep)), str(path)


def _matches(table: pa.Table, where: Mapping[str, Any]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    keep = np.ones(table.num_rows, dtype=bool)
    for name, value in where.items():
        column = table.column(name)
        found = pc.is_null(column) if value is None else pc.equal(column, value).fill_null(False)
        keep &= found.to_numpy()
    return keep


def _check_identity(path: Path, file: pq.ParquetFile, expected: pa.Schema, schema: Schema) -> None:
    found = file.schema_arrow
    said = {
        key.decode(errors="replace"): value.decode(errors="replace")
        for key, value in (file.metadata.metadata or {}).items()
    }
    wanted = _identity(schema)
    if any(said.get(key) != wanted[key] for key in ("assay.schema", "assay.version")):
        what = f"{said.get('assay.schema', 'no table of Assay')} {said.get('assay.version', '')}".strip()
        raise TableError(
            f"{path} holds {what}, not {schema.name} {schema.version}",
            "delete it and run `make reproduce`: another version of Assay made it, or something else",
        )
    for field in expected:
        at = found.get_field_index(field.name)
        if at < 0 or found.field(at) != field:
            what = "is missing" if at < 0 else f"holds {found.field(at).type}, not {field.type}"
            raise TableError(f"{path}: column {field.name} {what}", DAMAGED)
    if found.names != expected.names or said != wanted:
        raise TableError(f"{path}: its columns or its key are not those of {schema.name}", DAMAGED)


def _group(
    path: Path, file: pq.ParquetFile, group: int, expected: pa.Schema, columns: list[str] | None = None
) -> pa.Table:
    columns = columns or expected.names
    try:
        return _read(file, group, columns)
    except UNREADABLE as problem:
        for name in columns:
            try:
                _read(file, group, [name])
            except UNREADABLE as inner:
                raise TableError(
                    f"{path}: column {name}, row group {group}, cannot be read ({one_line(inner)})", DAMAGED
                ) from problem
        raise TableError(
            f"{path}: row group {group} cannot be read ({one_line(problem)})", DAMAGED
        ) from problem


def _read(file: pq.ParquetFile, group: int, columns: list[str]) -> pa.Table:
    table = file.read_row_group(group, columns=columns, use_threads=False)
    table.validate(full=True)
    return table.replace_schema_metadata(None)
