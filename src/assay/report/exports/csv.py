"""Writes tables as CSV, for programs that do not read Parquet."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa

from assay.tables.reader import opened

_FORMULA = re.compile(r"\s*[=+@\-\uff1d\uff0b\uff20\uff0d]|[\t\r\n]")
_NUMBER = re.compile(r"[-+]?[0-9.]+(e[-+]?[0-9]+)?")


def write_csv(table: Path, path: Path) -> None:
    """Write a Parquet table as CSV (RFC 4180 with line feeds).

    A null value becomes an empty field, and a float has the fewest digits that restore the same value. A text
    that a spreadsheet program would evaluate as a formula is preceded by an apostrophe.
    """
    with opened(table) as file, path.open("w", encoding="utf-8", newline="") as out:
        out.write(",".join(map(_text, file.schema_arrow.names)) + "\n")
        for batch in file.iter_batches(use_threads=False):
            columns = [_column(batch.column(i)) for i in range(batch.num_columns)]
            out.writelines(",".join(row) + "\n" for row in zip(*columns, strict=True))


def _column(values: pa.Array) -> list[str]:
    if pa.types.is_floating(values.type):
        return ["" if value is None else repr(value) for value in values.to_pylist()]
    if pa.types.is_boolean(values.type):
        return ["" if value is None else str(value).lower() for value in values.to_pylist()]
    if pa.types.is_binary(values.type):
        return ["" if value is None else value.hex() for value in values.to_pylist()]
    return ["" if value is None else _text(_no_formula(str(value))) for value in values.to_pylist()]


def _no_formula(value: str) -> str:
    """Precede a text by an apostrophe if a spreadsheet program would evaluate it as a formula."""
    return "'" + value if _FORMULA.match(value) and not _NUMBER.fullmatch(value) else value


def _text(value: str) -> str:
    quoted = any(sign in value for sign in ',"\r\n')
    return '"' + value.replace('"', '""') + '"' if quoted or not value else value
