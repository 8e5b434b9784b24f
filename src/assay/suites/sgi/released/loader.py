"""Reads a local copy of the released files (parquet or JSONL), strictly: every cell is checked, none is run.

Nothing is fetched. A cell of code is text here; it runs in the sandbox and nowhere else.
"""

from __future__ import annotations

import ast
import gzip
import hashlib
import json
import math
import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay import canonical
from assay.config import yaml
from assay.errors import TableError
from assay.suites.sgi.families import Family
from assay.suites.sgi.metrics.ideas import literal
from assay.suites.sgi.text.pool import pool_names
from assay.suites.sgi.text.program import parse_text, same_action
from assay.surrogates import has_surrogates

Row = dict[str, Any]

DATA_FILES = ("columns.yaml",)

TYPES: Mapping[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("text", "literal"), str),
    **dict.fromkeys(("list", "pictures"), list),
    "number": (int, float),
    "place": int,
}
"""The types of cells, by the words of `columns.yaml`."""

COLUMNS: Mapping[Family, Mapping[str, str]] = {
    family: {name: kind for kind, names in columns.items() for name in names}
    for family, columns in yaml.read(Path(__file__).with_name(DATA_FILES[0])).items()
}
"""The columns of each set, as released, with the kinds of their cells."""

SIDE_FILES = {"0200": "uci_adult", "0206": "data/mnist_raw", "0236": "data/em_3d_user_study"}
"""Dry items that need files of their own, and where these are below the folder for side files."""


DEEPEST = 50
"""Levels of lists and objects in a cell."""

SUFFIXES = (".parquet", ".jsonl", ".jsonl.gz", ".json")
"""Of files with rows; a JSON file holds a list of them."""

NAME = re.compile(r"[A-Za-z0-9_-]{1,80}")
"""An `idx`: it names files of results."""


@dataclass
class Report:
    """What was read: rows, rejected ones with their reason, warnings, counts, and the hash of good rows."""

    rows: int = 0
    rejected: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    unavailable: list[str] = field(default_factory=list)
    disciplines: Counter[str] = field(default_factory=Counter)
    sha256: str = ""


def load(
    path: Path,
    family: Family,
    *,
    strict: bool = True,
    side_data_dir: Path | None = None,
    skip: Collection[str] = (),
) -> tuple[list[Row], Report]:
    """The rows of a folder of parquet shards, one parquet file or one JSON or JSONL file (also gzipped).

    Rows whose `idx` is in `skip` are not looked at.

    `TableError` names file, row and column of the first fault; with `strict` off faulty rows are left out
    and listed in the report. Items whose side files are missing are listed as unavailable, and kept.
    """
    report = Report()
    seen: set[str] = set()
    good: list[Row] = []
    for place, row in rows(path):
        if isinstance(row.get("idx"), str) and row["idx"] in skip:
            continue
        report.rows += 1
        try:
            report.warnings += check(place, family, row)
            if row["idx"] in seen:
                raise fault(place, "idx", f"{row['idx']} comes twice")
        except TableError as problem:
            if strict:
                raise
            report.rejected.append(problem.message)
            continue
        seen.add(row["idx"])
        needed = side_files(row["idx"])
        if needed and (side_data_dir is None or not (side_data_dir / needed).exists()):
            report.unavailable.append(row["idx"])
        report.disciplines[row["discipline"]] += 1
        good.append(row)
    report.sha256 = canonical.digest([_hashable(row) for row in good])
    return good, report


def side_files(idx: str) -> str | None:
    """Where the files that an item needs beside its columns are, below the folder for them; null for most."""
    return SIDE_FILES.get(idx[-4:]) if idx.startswith("SGI_DryExperiment_") else None


def rows(path: Path) -> Iterator[tuple[str, Row]]:
    """Every row with the name of its place."""
    files = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
    if not files or not files[0].is_file():
        missing = "holds no parquet file" if path.is_dir() else "is no file or folder"
        raise TableError(f"{path} {missing}", "name a folder of shards, a parquet or a JSONL file")
    for file in files:
        for at, row in _cells(file):
            place = f"{file}, row {at}"
            if not isinstance(row, dict):
                raise TableError(f"{place}: not an object", "write one JSON object a line")
            if _halved(row):
                raise TableError(f"{place}: half a character in a text", "mend that line")
            yield place, row


def _cells(file: Path) -> Iterator[tuple[int, Any]]:
    """The rows of a file with their numbers."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        if file.suffix == ".parquet":
            yield from enumerate(pq.read_table(file).to_pylist())
        elif file.suffix == ".json":
            found = json.loads(file.read_text(encoding="utf-8"))
            if not isinstance(found, list):
                raise ValueError("not a list of rows; .jsonl has one object a line")
            yield from enumerate(found)
        else:
            with (gzip.open if file.suffix == ".gz" else open)(file, "rt", encoding="utf-8") as lines:
                for at, line in enumerate(lines):
                    if line.strip():
                        yield at, _parsed(f"{file}, row {at}", line)
    except (
        pa.ArrowException,
        OSError,
        EOFError,
        ValueError,
        OverflowError,
        zlib.error,
        RecursionError,
    ) as problem:
        raise TableError(f"{file} cannot be read ({problem})", "copy the file again") from problem


def _parsed(place: str, line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as problem:
        raise TableError(f"{place}: no JSON ({problem})", "mend that line") from problem


def check(place: str, family: Family, row: Row) -> list[str]:
    """Check the columns of a row and what must hold between them; returns warnings.

    `TableError` names the place and the column of the first fault.
    """
    for name, kind in COLUMNS[family].items():
        if name not in row:
            raise fault(place, name, "is missing")
        if not isinstance(row[name], TYPES[kind]) or isinstance(row[name], bool):
            raise fault(place, name, f"holds {type(row[name]).__name__}")
        if kind == "list" and not all(isinstance(x, str) for x in row[name]):
            raise fault(place, name, "is no list of texts")
        if kind == "literal":
            try:
                literal(row[name])
            except TableError as problem:
                raise fault(place, name, "is neither a literal nor JSON") from problem
    for name, value in row.items():
        if _deeper(value, DEEPEST):
            raise fault(place, name, f"nests deeper than {DEEPEST} levels")
    if not NAME.fullmatch(row["idx"]):
        raise fault(place, "idx", "is no name of up to 80 letters, digits, hyphens and underscores")
    if family == "dry_experiment":
        _check_functions(place, row)
    elif family == "experimental_reasoning":
        if not 0 <= row["answer"] < len(row["options"]):
            raise fault(place, "answer", f"{row['answer']} is no place among {len(row['options'])} options")
    elif family == "wet_experiment":
        steps = parse_text(row["answer"]).steps
        if len(steps) < 2:
            raise fault(place, "answer", "has fewer than two steps")
        pool = {same_action(name) for name in pool_names(row["action_pool"])}
        strange = sorted({step.action for step in steps if same_action(step.action) not in pool})
        if strange:
            return [f"{place}, column answer: not in the pool: {', '.join(strange)}"]
    return []


def _check_functions(place: str, row: Row) -> None:
    for column in ("main_code", "incomplete_main_code"):
        try:
            tree = ast.parse(row[column].replace("\r\n", "\n"))
        except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
            raise fault(place, column, f"is no Python ({type(problem).__name__})") from problem
        there = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
        missing = [name for name in map(str, row["incomplete_functions"]) if name not in there]
        if missing or not row["incomplete_functions"]:
            raise fault(place, column, f"does not define {', '.join(missing) or 'any function to fill'}")


def fault(place: str, column: str, what: str) -> TableError:
    """The error about a cell."""
    return TableError(
        f"{place}, column {column}: {what}",
        "mend or drop that row; assay sgi load --lenient leaves faulty rows out and lists them",
    )


def _deeper(value: Any, most: int) -> bool:
    """Whether lists and objects stand in one another more than so many levels deep."""
    if not isinstance(value, dict | list):
        return False
    inside = value.values() if isinstance(value, dict) else value
    return most == 0 or any(_deeper(inner, most - 1) for inner in inside)


def _halved(row: Row) -> bool:
    """Whether a text of the row holds half of a surrogate pair."""
    try:
        return has_surrogates(json.dumps(row, ensure_ascii=False, default=lambda picture: ""))
    except RecursionError:  # `check` names what nests so deep
        return False


def _hashable(value: Any) -> Any:
    """A row with bytes as their hash and numbers that JSON can hold."""
    if isinstance(value, dict):
        return {str(key): _hashable(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_hashable(inner) for inner in value]
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return value
