"""Copies of tables for readers: Parquet, CSV for programs without Parquet, Markdown for documents."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pyarrow as pa

from assay.tables.reader import opened

_FORMULA = re.compile(r"\s*[=+@\-\uff1d\uff0b\uff20\uff0d]|[\t\r\n]")
_NUMBER = re.compile(r"[-+]?[0-9.]+(e[-+]?[0-9]+)?")
_MARKUP = re.compile(r"[\\`*\[\]<>|~&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_BREAK = re.compile(r"\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")


def copy_table(table: Path, copies: Mapping[str, Path]) -> None:
    """Copy a Parquet table to a file of each format.

    Args:
        table: The table.
        copies: The path of each copy by its format: `Parquet`, `CSV`, `Markdown`.
    """
    writers: dict[str, Callable[[Path, Path], object]] = {
        "Parquet": shutil.copyfile,
        "CSV": write_csv,
        "Markdown": write_markdown,
    }
    for form, path in copies.items():
        writers[form](table, path)


def write_csv(table: Path, path: Path) -> None:
    """Write a Parquet table as CSV (RFC 4180 with line feeds).

    A null value becomes an empty field, and a float has the fewest digits that restore the same value. A text
    that a spreadsheet program would evaluate as a formula is preceded by an apostrophe.
    """
    with opened(table) as file, path.open("w", encoding="utf-8", newline="") as out:
        out.write(",".join(map(_quoted, file.schema_arrow.names)) + "\n")
        for row in _rows(file, lambda text: _quoted(_no_formula(text))):
            out.write(",".join(row) + "\n")


def write_markdown(table: Path, path: Path) -> None:
    """Write a Parquet table as a table in Markdown (GitHub's dialect), for reports and discussions.

    A null value becomes an empty cell. Numbers are set to the right and are those of the CSV file. A line
    break becomes a space, and what Markdown or HTML would read as markup is preceded by a backslash.
    """
    with opened(table) as file, path.open("w", encoding="utf-8", newline="") as out:
        fields = list(file.schema_arrow)
        out.write(_line(_escaped(field.name) for field in fields))
        out.write(_line("---:" if _is_number(field.type) else "---" for field in fields))
        out.writelines(_line(row) for row in _rows(file, _escaped))


def _rows(file: pa.parquet.ParquetFile, text: Callable[[str], str]) -> Iterator[tuple[str, ...]]:
    """The rows of a table as texts; `text` puts the values of text columns into the form of the file."""
    for batch in file.iter_batches(use_threads=False):
        yield from zip(
            *(_column(batch.column(i), text) for i in range(batch.num_columns)),
            strict=True,
        )


def _column(values: pa.Array, text: Callable[[str], str]) -> list[str]:
    form: Callable[[object], str]
    if pa.types.is_floating(values.type):
        form = repr
    elif pa.types.is_boolean(values.type):
        form = lambda value: str(value).lower()  # noqa: E731
    elif pa.types.is_binary(values.type):
        form = lambda value: value.hex()  # type: ignore[attr-defined]  # noqa: E731
    else:
        form = lambda value: text(str(value))  # noqa: E731
    return ["" if value is None else form(value) for value in values.to_pylist()]


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _no_formula(value: str) -> str:
    """Precede a text by an apostrophe if a spreadsheet program would evaluate it as a formula."""
    return "'" + value if _FORMULA.match(value) and not _NUMBER.fullmatch(value) else value


def _quoted(value: str) -> str:
    quoted = any(sign in value for sign in ',"\r\n')
    return '"' + value.replace('"', '""') + '"' if quoted or not value else value


def _escaped(value: str) -> str:
    return _MARKUP.sub(r"\\\g<0>", _BREAK.sub(" ", value))


def _line(cells: Iterator[str] | tuple[str, ...]) -> str:
    return "| " + " | ".join(cells) + " |\n"
