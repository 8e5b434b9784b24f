"""Writing of Parquet files with equal bytes for equal content. `assay.tables.reader` reads them.

Everything that affects the bytes is fixed here: order and types of columns, rounding of floats, row groups,
encoding and compression. Rows must come in the order of the key, which is checked. The bytes still depend on
the version of pyarrow, which is part of the footer; the hashes of `assay.tables.digest` do not.
"""

from __future__ import annotations

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
from assay.tables.arrow import ARROW, Piece, arrow_schema, identity
from assay.tables.reader import one_line, row_groups
from assay.tables.schema import DIGITS, Column, Schema

Rows: TypeAlias = "Iterable[Mapping[str, Any]] | Any"
"""Rows as mappings from column to value, as a `pyarrow.Table`, or as a `pandas.DataFrame`."""


def write_table(rows: Rows, path: Path | str, schema: Schema) -> int:
    """Write a table completely or not at all. Equal rows give equal bytes, whatever their type is.

    Args:
        rows: The rows, in strictly ascending order of the key.
        path: The Parquet file.
        schema: The declaration of the table.

    Returns:
        The number of rows.

    Raises:
        TableError: If the rows do not fit the schema; the message names column and row.
        WriteError: If the file cannot be written.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from assay.tables.reader import read_rows
        >>> columns = (Column("n", "int64", "a number"), Column("root", "float64", "its root", digits=3))
        >>> schema = Schema("roots", 1, columns, key=("n",))
        >>> with TemporaryDirectory() as folder:
        ...     write_table([{"n": 2, "root": 1.4142135}], f"{folder}/roots.parquet", schema)
        ...     read_rows(f"{folder}/roots.parquet", schema)
        1
        [{'n': 2, 'root': 1.41}]
    """
    return _write(_pieces(rows, schema), Path(path), schema)


def merge(parts: Sequence[Path | str], path: Path | str, schema: Schema) -> int:
    """Write the rows of several files as one table.

    The result does not depend on how rows are divided into files, and memory holds about one row group.

    Args:
        parts: The files, in the order of their keys. If there are no files, the table is empty.
        path: The file of the merged table.
        schema: The declaration of the table, which all files must have.

    Returns:
        The number of rows.

    Raises:
        TableError: If keys do not ascend from file to file, or a file is damaged.
        WriteError: If the file cannot be written.
    """
    return _write((piece for part in parts for piece in row_groups(Path(part), schema)), Path(path), schema)


def rounded(values: np.ndarray[Any, np.dtype[np.float64]], digits: int = DIGITS) -> np.ndarray[Any, Any]:
    """Return finite floats rounded to a number of significant decimal digits.

    Each result is the float nearest to a correctly rounded decimal text, so it has the same bits on every
    machine. Negative zero becomes zero.

    Args:
        values: Finite floats, of any shape.
        digits: The number of digits, from 1 to 17.

    Example:
        >>> rounded(np.array([2 / 3, 1234567.0, -0.0]), 3).tolist()
        [0.667, 1230000.0, 0.0]
    """
    values = values + 0.0  # a copy, and -0.0 + 0.0 is 0.0
    # Whole numbers of at most `digits` digits are not changed by rounding.
    long = (values != np.trunc(values)) | (np.abs(values) >= 10.0**digits)
    form = f".{digits}g"
    values[long] = [float(format(value, form)) for value in values[long].tolist()]
    return values


# ------------------------------------------------------------ conversion to Arrow


def _pieces(rows: Rows, schema: Schema) -> Iterator[Piece]:
    if isinstance(rows, pa.Table):
        _check_names(rows.column_names, schema)
        for start in range(0, rows.num_rows, schema.group_rows):
            part = rows.slice(start, schema.group_rows).combine_chunks()
            columns = [_cast(part.column(column.name), column, schema) for column in schema.columns]
            yield _table(columns, schema, start), "the rows"
    elif "pandas" in sys.modules and isinstance(rows, sys.modules["pandas"].DataFrame):
        _check_names(list(rows.columns), schema)
        pa.nulls(0).to_pandas()  # makes pyarrow import pandas, see `_spare_pandas`
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


def _check_names(given: list[str], schema: Schema, place: str = "") -> None:
    missing = [name for name in schema.names if name not in given]
    unknown = [str(name) for name in given if name not in schema.names]
    if missing or unknown:
        problems = [
            f"{what} {', '.join(names)}"
            for what, names in (("missing", missing), ("unknown", unknown))
            if names
        ]
        raise TableError(
            f"the columns{place} are not those of the table {schema.name}: {'; '.join(problems)}",
            f"give exactly {', '.join(schema.names)}",
        )


def _cast(values: pa.ChunkedArray, column: Column, schema: Schema) -> pa.Array:
    try:
        return values.combine_chunks().cast(ARROW[column.type])
    except (pa.ArrowException, ValueError) as problem:
        raise _wrong(column, schema, problem) from problem


def _column(
    values: Any, column: Column, schema: Schema, start: int, *, from_pandas: bool = False
) -> pa.Array:
    try:
        if column.type == "int64" and not from_pandas:
            # pyarrow would truncate 1.5 to 1; `index` raises for anything but an integer.
            values = [None if value is None else operator.index(value) for value in values]
        made = pa.array(values, ARROW[column.type], from_pandas=from_pandas)
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as problem:
        raise _wrong(column, schema, problem, start) from problem
    return made.combine_chunks() if isinstance(made, pa.ChunkedArray) else made


def _wrong(column: Column, schema: Schema, problem: Exception, start: int | None = None) -> TableError:
    place = "" if start is None else f", at or after row {start}"
    return TableError(
        f"column {column.name} of the table {schema.name} must hold {column.type}{place} ({problem})",
        f"correct who makes {column.name} ({column.doc}), or its declaration in assay.tables.schemas",
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
    return pa.Table.from_arrays(made, schema=arrow_schema(schema))


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
    """Checks that keys ascend strictly, in one piece of the table after another."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._last: list[Any] | None = None
        self._source = ""
        self._rows = 0

    def check(self, table: pa.Table, source: str) -> None:
        """Raise `TableError` if a key is not greater than the previous key in this or the previous piece."""
        if not table.num_rows:
            return
        keys = [table.column(name).combine_chunks() for name in self._schema.key]
        first, last = ([key[at].as_py() for key in keys] for at in (0, table.num_rows - 1))
        if self._last is not None and not key_order(self._last) < key_order(first):
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
            f"{where} has {what} in the table {self._schema.name}: {_key_text(after)} after "
            f"{_key_text(before)} ({names})",
            f"give every row once, sorted by {names} (null first, text by code point), parts in that order",
        )


def _key_text(key: list[Any]) -> str:
    return "(" + ", ".join("null" if value is None else str(value) for value in key) + ")"


def key_order(key: Sequence[Any]) -> list[tuple[bool, Any]]:
    """Return a value by which keys sort in the order of tables: missing values before all others.

    Example:
        >>> sorted([("b", 1), ("a", 2), ("a", None)], key=key_order)
        [('a', None), ('a', 2), ('b', 1)]
    """
    return [(False, 0) if value is None else (True, value) for value in key]


def _first_descent(keys: list[pa.Array]) -> int | None:
    """Return the index of the first row whose successor's key is not greater, or `None`."""
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


# ------------------------------------------------------------ writing of files


def _write(pieces: Iterable[Piece], path: Path, schema: Schema) -> int:
    tables = _regrouped(_ordered(pieces, schema), schema.group_rows)
    rows = 0
    # The temporary file is beside its destination, so that the last step is a rename within one file system.
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
        arrow_schema(schema),
        version="2.6",
        data_page_version="1.0",
        compression="zstd",
        compression_level=3,
        # Binary values do not repeat, so a dictionary of them would be useless.
        use_dictionary=[column.name for column in schema.columns if column.type != "binary"],
        dictionary_pagesize_limit=1 << 20,
        data_page_size=1 << 20,
        write_batch_size=1024,
        max_rows_per_page=20_000,
        write_statistics=list(schema.key),
        write_page_checksum=True,
        write_page_index=False,
        # The bytes of a stored Arrow schema would depend on the version of pyarrow.
        store_schema=False,
    )
    writer.add_key_value_metadata(identity(schema))
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


def _ordered(pieces: Iterable[Piece], schema: Schema) -> Iterator[pa.Table]:
    order = _Order(schema)
    for table, source in pieces:
        order.check(table, source)
        yield table


def _regrouped(tables: Iterable[pa.Table], rows: int) -> Iterator[pa.Table]:
    """Yield the same rows in tables of exactly `rows` rows (the last may be shorter), with one chunk per
    column.

    Otherwise the boundaries of chunks would change the boundaries of the file's pages.
    """
    pending: list[pa.Table] = []
    count = 0
    for table in tables:
        while count + table.num_rows >= rows:
            yield pa.concat_tables([*pending, table.slice(0, rows - count)]).combine_chunks()
            table = table.slice(rows - count)
            pending, count = [], 0
        if table.num_rows:
            pending.append(table)
            count += table.num_rows
    if pending:
        yield pa.concat_tables(pending).combine_chunks()
