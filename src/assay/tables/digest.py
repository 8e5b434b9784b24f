"""Hashes of files and of the columns of tables.

The hash of a file's bytes depends on the version of pyarrow that wrote it. The hash of a column does not: it
is computed from the name, the type, the positions of missing values, and the values in a canonical form.
Chunks, row groups, compression and encoding do not affect it. The canonical form has two streams:

* for text and bytes, the length of each value (int64, little-endian, -1 if missing), and all values end to
  end;
* for numbers, one byte per row (1 for a value, 0 if missing), and all values, little-endian, 0 if missing;
* for booleans, the same two streams as for numbers, with one byte per value.

The hash of a column is the SHA-256 of a header (name, type and number of rows as canonical JSON) followed by
the SHA-256 of both streams, truncated to 128 bits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from assay import canonical
from assay.errors import TableError
from assay.tables.reader import DAMAGED, UNREADABLE, one_line, opened

HEX = 32
"""The number of hexadecimal digits of a column's hash."""

_BATCH = 65_536

_NUMBERS: dict[Any, tuple[str, str]] = {
    pa.bool_(): ("bool", "u1"),
    pa.int8(): ("int8", "<i1"),
    pa.int16(): ("int16", "<i2"),
    pa.int32(): ("int32", "<i4"),
    pa.int64(): ("int64", "<i8"),
    pa.uint8(): ("uint8", "<u1"),
    pa.uint16(): ("uint16", "<u2"),
    pa.uint32(): ("uint32", "<u4"),
    pa.uint64(): ("uint64", "<u8"),
    pa.float32(): ("float32", "<f4"),
    pa.float64(): ("float64", "<f8"),
}


@dataclass(frozen=True)
class TableDigests:
    """The hashes of a table.

    Attributes:
        rows: The number of rows.
        columns: The hash of each column.
        parts: For a partitioned table, the hash of each column by the value of the partition.
        writer: The program that wrote the file, as its footer names it.
        schema: Name and version of the schema.
        unreadable: The error message for each column that cannot be decoded.
    """

    rows: int
    columns: dict[str, str]
    parts: dict[str, dict[str, str]]
    writer: str
    schema: str
    unreadable: dict[str, str] = field(default_factory=dict)


def file_digest(path: Path | str) -> str:
    """Return the SHA-256 (hex) of the bytes of a file."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def column_digests(path: Path | str) -> dict[str, str]:
    """Return the hash of each column of a table.

    Raises:
        TableError: If a column cannot be read.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     table = pa.table({"n": [1, 2, None]})
        ...     pq.write_table(table, f"{folder}/a.parquet", compression="none")
        ...     pq.write_table(table, f"{folder}/b.parquet", compression="zstd")
        ...     column_digests(f"{folder}/a.parquet") == column_digests(f"{folder}/b.parquet")
        True
    """
    digests = table_digests(path)
    for name, problem in digests.unreadable.items():
        raise TableError(f"{path}: column {name} cannot be read ({problem})", DAMAGED)
    return digests.columns


def table_digests(
    path: Path | str, partition: str | None = None, without: Collection[str] = ()
) -> TableDigests:
    """Hash a table in one pass, reading a batch of rows at a time.

    Columns that cannot be decoded are listed in `unreadable`. The other columns are then hashed as usual, but
    `parts` is empty.

    Args:
        path: A Parquet file.
        partition: A column of text. The rows of each of its values are also hashed like a separate table.
        without: Values of the column `task_set` whose rows are left out of all hashes.

    Raises:
        TableError: If the file is not Parquet, or the type of a column has no canonical form.
    """
    with opened(path) as file:
        names = file.schema_arrow.names
        if len(set(names)) != len(names):
            raise TableError(f"{path}: two columns have one name", DAMAGED)
        metadata = file.metadata.metadata or {}
        schema = b" ".join(metadata.get(key, b"") for key in (b"assay.schema", b"assay.version"))
        whole = _Hashes(path, file.schema_arrow)
        parts: dict[str, _Hashes] = {}
        unreadable: dict[str, str] = {}
        try:
            for batch in _batches(file, names):
                if without:
                    batch = batch.filter(
                        pc.invert(pc.is_in(batch["task_set"], pa.array(without, pa.string())))
                    )
                whole.add(batch)
                if partition is not None:
                    for value, rows in _split(path, batch, partition):
                        parts.setdefault(value, _Hashes(path, file.schema_arrow)).add(rows)
        except UNREADABLE:
            whole, parts, unreadable = _each_alone(path, file)
        return TableDigests(
            rows=file.metadata.num_rows,
            columns=whole.digests(),
            parts={value: parts[value].digests() for value in sorted(parts)},
            writer=_writer(file),
            schema=schema.decode(errors="replace").strip(),
            unreadable=unreadable,
        )


def _writer(file: pq.ParquetFile) -> str:
    try:
        return file.metadata.created_by or ""
    except UnicodeDecodeError:
        return "no text"


def _batches(file: pq.ParquetFile, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    for batch in file.iter_batches(_BATCH, columns=list(columns), use_threads=False):
        batch.validate(full=True)
        yield batch


def _each_alone(path: Path | str, file: pq.ParquetFile) -> tuple[_Hashes, dict[str, _Hashes], dict[str, str]]:
    readable = _Hashes(path, pa.schema([]))
    unreadable = {}
    for name in file.schema_arrow.names:
        alone = _Hashes(path, pa.schema([file.schema_arrow.field(name)]))
        try:
            for batch in _batches(file, [name]):
                alone.add(batch)
        except UNREADABLE as problem:
            unreadable[name] = one_line(problem)
        else:
            readable.columns.update(alone.columns)
    return readable, {}, unreadable


def _split(path: Path | str, batch: pa.RecordBatch, partition: str) -> Iterator[tuple[str, pa.RecordBatch]]:
    if partition not in batch.schema.names:
        raise TableError(f"{path} has no column {partition}", DAMAGED)
    values = batch.column(partition)
    for value in pc.unique(values).to_pylist():
        # A filter keeps the order of rows.
        keep = pc.is_null(values) if value is None else pc.equal(values, value)
        yield str(value), batch if pc.all(keep).as_py() else batch.filter(keep.fill_null(False))


class _Hashes:
    def __init__(self, path: Path | str, schema: pa.Schema) -> None:
        self.columns = {field.name: _Column(path, field) for field in schema}

    def add(self, batch: pa.RecordBatch) -> None:
        for name, column in self.columns.items():
            column.add(batch.column(name))

    def digests(self) -> dict[str, str]:
        return {name: column.digest() for name, column in self.columns.items()}


class _Column:
    def __init__(self, path: Path | str, field: pa.Field) -> None:
        held = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        self._name, self._rows = field.name, 0
        self._presence, self._values = hashlib.sha256(), hashlib.sha256()
        if held in _NUMBERS:
            self.type, self._form = _NUMBERS[held]
        elif pa.types.is_string(held) or pa.types.is_large_string(held) or pa.types.is_string_view(held):
            self.type, self._form = "string", ""
        elif pa.types.is_binary(held) or pa.types.is_large_binary(held) or pa.types.is_binary_view(held):
            self.type, self._form = "binary", ""
        else:
            raise TableError(
                f"{path}: column {field.name} of type {field.type} has no canonical form",
                "store text, bytes, numbers or truth values",
            )
        self._held = held if self._form else pa.large_binary()

    def add(self, values: pa.Array) -> None:
        self._rows += len(values)
        values = values.cast(self._held)
        present = values.is_valid().to_numpy(zero_copy_only=False)
        if not self._form:
            self._add_bytes(values, present)
            return
        filled = values.fill_null(False if self.type == "bool" else 0)
        numbers = filled.to_numpy(zero_copy_only=False).astype(self._form)
        if self.type.startswith("float"):
            # All NaN get the same bits.
            numbers = np.where(np.isnan(numbers), numbers.dtype.type(np.nan), numbers)
        self._presence.update(present.astype("u1").tobytes())
        self._values.update(np.ascontiguousarray(numbers).data)

    def _add_bytes(self, values: pa.Array, present: np.ndarray[Any, Any]) -> None:
        values = values.fill_null(b"") if values.null_count else values
        _, offsets, content = values.buffers()
        ends = np.frombuffer(offsets, dtype="<i8", count=len(values) + 1, offset=8 * values.offset)
        lengths = np.where(present, np.diff(ends), -1).astype("<i8")
        self._presence.update(lengths.tobytes())
        if content is not None and len(ends):
            self._values.update(memoryview(content)[int(ends[0]) : int(ends[-1])])

    def digest(self) -> str:
        header = canonical.dumps([self._name, self.type, self._rows]).encode() + b"\n"
        streams = self._presence.digest() + self._values.digest()
        return hashlib.sha256(header + streams).hexdigest()[:HEX]
