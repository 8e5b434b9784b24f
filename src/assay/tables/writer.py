"""Writing Parquet so that equal content gives equal bytes; `assay.tables.reader` reads it.

Everything that shows in the bytes is fixed here: column order and types, the order of rows (checked, never
made), rounding of floats, row groups, encoding, compression. What the file's bytes still depend on is the
writer's version, whose name pyarrow puts into the footer; `assay.tables.digest` has hashes that do not.
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
"""Mappings from column name to value, a `pyarrow.Table` or a `pandas.DataFrame`."""


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
    return _write((piece for part in parts for piece in row_groups(Path(part), schema)), Path(path), schema)


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


# ------------------------------------------------------------ into Arrow


def _pieces(rows: Rows, schema: Schema) -> Iterator[Piece]:
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
        return values.combine_chunks().cast(ARROW[column.type])
    except (pa.ArrowException, ValueError) as problem:
        raise _wrong(column, schema, problem) from problem


def _column(
    values: Any, column: Column, schema: Schema, start: int, *, from_pandas: bool = False
) -> pa.Array:
    try:
        if column.type == "int64" and not from_pandas:
            # pyarrow would cut 1.5 to 1; a whole number is what can be an index
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
            f"{where} has {what} in the table {self._schema.name}: {_shown(after)} after {_shown(before)}"
            f" ({names})",
            f"give every row once, sorted by {names} (null first, text by code point), parts in that order",
        )


def _shown(key: list[Any]) -> str:
    return "(" + ", ".join("null" if value is None else str(value) for value in key) + ")"


def key_order(key: Sequence[Any]) -> list[tuple[bool, Any]]:
    """What rows are sorted by: their key, with None before any value."""
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


def _write(pieces: Iterable[Piece], path: Path, schema: Schema) -> int:
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
        arrow_schema(schema),
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
