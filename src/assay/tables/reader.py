"""Reading of tables from Parquet. Any defect of a file raises a `TableError` that names the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from assay.errors import TableError
from assay.tables.arrow import Piece, arrow_schema, identity
from assay.tables.schema import Schema

DAMAGED = "delete it and run `make reproduce`: whatever lies below results/ is made again"

UNREADABLE = (pa.ArrowException, OSError, ValueError)
"""The exceptions that pyarrow raises for a damaged file."""


def read_table(path: Path | str, schema: Schema, where: Mapping[str, Any] | None = None) -> pa.Table:
    """Read a table into memory, in the order of its key.

    Args:
        path: The Parquet file.
        schema: The schema that it must have.
        where: Values by column; only rows with these values are returned. From row groups without such a row,
            only these columns are read.

    Raises:
        TableError: If the file is damaged, or is another table or version.
    """
    groups = [group for group, _ in row_groups(Path(path), schema, where or {})]
    return pa.concat_tables(groups) if groups else arrow_schema(schema).empty_table()


def read_rows(
    path: Path | str, schema: Schema, where: Mapping[str, Any] | None = None
) -> list[dict[str, Any]]:
    """Read a table as a list of dicts, see `read_table`.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from assay.tables.schema import Column
        >>> from assay.tables.writer import write_table
        >>> columns = (Column("n", "int64", "the ball's number"), Column("hue", "string", "its colour"))
        >>> balls = Schema("balls", 1, columns, key=("n",))
        >>> rows = [{"n": 1, "hue": "red"}, {"n": 2, "hue": "black"}]
        >>> with TemporaryDirectory() as folder:
        ...     write_table(rows, f"{folder}/balls.parquet", balls)
        ...     read_rows(f"{folder}/balls.parquet", balls, where={"hue": "red"})
        2
        [{'n': 1, 'hue': 'red'}]
    """
    rows: list[dict[str, Any]] = read_table(path, schema, where).to_pylist()
    return rows


def read_frame(path: Path | str, schema: Schema, where: Mapping[str, Any] | None = None) -> Any:
    """Read a table as a pandas data frame, see `read_table`.

    Nullable columns of integers and booleans have the types `Int64` and `boolean`.
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
    """Return the column that a file declares as its partition (see `Schema`), or `None`."""
    with opened(path) as file:
        declared = (file.schema_arrow.metadata or {}).get(b"assay.partition", b"")
    return declared.decode() or None


@contextmanager
def opened(path: Path | str) -> Iterator[pq.ParquetFile]:
    """Open a Parquet file for reading.

    Raises:
        TableError: If the file does not exist or is not Parquet.
    """
    try:
        file = pq.ParquetFile(path, page_checksum_verification=True)
    except FileNotFoundError as problem:
        raise TableError(f"{path} does not exist", f"make it: snakemake --cores all -- {path}") from problem
    except UNREADABLE as problem:
        raise TableError(f"{path} cannot be read as Parquet ({one_line(problem)})", DAMAGED) from problem
    with file:
        yield file


def one_line(problem: BaseException) -> str:
    """Return the message of an exception as one line of at most 200 characters."""
    text = " ".join(str(problem).split())
    return text if len(text) <= 200 else text[:197] + "..."


def row_groups(path: Path, schema: Schema, where: Mapping[str, Any] | None = None) -> Iterator[Piece]:
    """Yield the row groups of a file, each as one table with its source.

    Args:
        path: The Parquet file.
        schema: The schema that it must have.
        where: Values by column, as in `read_table`.

    Raises:
        TableError: If the file is damaged, or is another table or version.
    """
    for name in where or {}:
        schema.column(name)
    expected = arrow_schema(schema)
    with opened(path) as file:
        _check_identity(path, file, expected, schema)
        for group in range(file.num_row_groups):
            if not where:
                yield _group(path, file, group, expected), str(path)
                continue
            # Values are compared, not the statistics in the footer, because those have no checksum.
            keep = _matches(_group(path, file, group, expected, list(where)), where)
            if keep.any():
                yield _group(path, file, group, expected).filter(pa.array(keep)), str(path)


def _matches(table: pa.Table, where: Mapping[str, Any]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    keep = np.ones(table.num_rows, dtype=bool)
    for name, value in where.items():
        column = table.column(name)
        equal = pc.is_null(column) if value is None else pc.equal(column, value).fill_null(False)
        keep &= equal.to_numpy()
    return keep


def _check_identity(path: Path, file: pq.ParquetFile, expected: pa.Schema, schema: Schema) -> None:
    actual = file.schema_arrow
    metadata = {
        key.decode(errors="replace"): value.decode(errors="replace")
        for key, value in (file.metadata.metadata or {}).items()
    }
    wanted = identity(schema)
    if any(metadata.get(key) != wanted[key] for key in ("assay.schema", "assay.version")):
        table = metadata.get("assay.schema", "no table of Assay")
        what = f"{table} {metadata.get('assay.version', '')}".strip()
        raise TableError(
            f"{path} holds {what}, not {schema.name} {schema.version}",
            "delete it and run `make reproduce`: another version of Assay made it, or something else",
        )
    for field in expected:
        at = actual.get_field_index(field.name)
        if at < 0 or actual.field(at) != field:
            what = "is missing" if at < 0 else f"holds {actual.field(at).type}, not {field.type}"
            raise TableError(f"{path}: column {field.name} {what}", DAMAGED)
    if actual.names != expected.names or metadata != wanted:
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
