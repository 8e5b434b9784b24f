"""Finds the files, columns and rows in which two results differ, and the first difference in each.

The results are two folders, two manifests, two tables, or two text files such as recordings and figures. Rows
of tables are matched by their key, so that an additional row does not make all later rows differ.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from assay.errors import AssayError, TableError
from assay.tables.digest import file_digest
from assay.tables.reader import UNREADABLE, one_line, opened
from assay.verdict.manifest import Manifest, changes, read_manifest

OUTSIDE = frozenset({"shards", "logs", "provenance", "artefacts", "benchmarks", "verdict.html"})
"""Names of folders and files that are left out when folders are compared, because equal builds may differ in
them."""

_SHOWN = 60
"""Number of characters around the first difference that are shown of a long value."""


@dataclass(frozen=True)
class Difference:
    """One difference between two results.

    Attributes:
        file: The file, relative to the compared folders.
        what: The difference in words.
        column: The column that differs, or None if the difference is not in a column.
        key: The key of the first row that differs, or None.
        left: The value in the left file at the first difference, or None.
        right: The value in the right file at the first difference, or None.
        rows: The number of rows that differ, or None if rows were not compared.
    """

    file: str
    what: str
    column: str | None = None
    key: Mapping[str, Any] | None = None
    left: Any = None
    right: Any = None
    rows: int | None = None


@dataclass(frozen=True)
class Comparison:
    """The differences, the problems that prevented comparisons, and remarks on files with equal content."""

    differences: tuple[Difference, ...]
    problems: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def word(self) -> str:
        """The result: `equal`, `different`, or `could not tell`."""
        return "different" if self.differences else "could not tell" if self.problems else "equal"

    @property
    def exit_code(self) -> int:
        """The exit code: 0 for equal, 1 for different, 2 for could not tell."""
        return {"equal": 0, "different": 1, "could not tell": 2}[self.word]

    def text(self) -> str:
        """The comparison as text, grouped by file. The last line is `word`."""
        lines = []
        for file in dict.fromkeys(difference.file for difference in self.differences):
            lines.append(file)
            lines += [f"  {d.what}" for d in self.differences if d.file == file]
        lines += [f"problem: {problem}" for problem in self.problems]
        return "\n".join([*lines, *self.remarks, self.word])

    def json(self) -> str:
        """The comparison as JSON text."""
        value = {
            "result": self.word,
            "exit_code": self.exit_code,
            "differences": [asdict(difference) for difference in self.differences],
            "problems": list(self.problems),
            "remarks": list(self.remarks),
        }
        return json.dumps(value, indent=1, ensure_ascii=False, default=str)


def diff(left: Path | str, right: Path | str) -> Comparison:
    """Compare two files or two folders.

    Returns:
        The comparison. Its problems report files that cannot be read, for which no exception is raised.
    """
    left, right = Path(left), Path(right)
    collected = _Collected()
    missing = [path for path in (left, right) if not path.exists()]
    if missing:
        collected.problems += [f"{path} does not exist" for path in missing]
    elif left.is_dir() != right.is_dir():
        collected.problems.append(f"{left} and {right}: one is a folder, the other a file")
    elif left.is_dir():
        _diff_trees(left, right, collected)
    else:
        _diff_files(left, right, left.name, collected)
    return collected.comparison()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `assay diff`."""
    parser.add_argument("left", type=Path, help="a folder of results, a manifest, a table, a recording")
    parser.add_argument("right", type=Path, help="the same of another run")
    parser.add_argument("--json", action="store_true", help="print the differences as JSON")


def main(args: argparse.Namespace) -> int:
    """Print the comparison and return its exit code."""
    comparison = diff(args.left, args.right)
    print(comparison.json() if args.json else comparison.text())
    return comparison.exit_code


class _Collected:
    def __init__(self) -> None:
        self.differences: list[Difference] = []
        self.problems: list[str] = []
        self.remarks: list[str] = []

    def comparison(self) -> Comparison:
        return Comparison(tuple(self.differences), tuple(self.problems), tuple(self.remarks))


# ------------------------------------------------------------ folders and files


def _diff_trees(left: Path, right: Path, collected: _Collected) -> None:
    mine, theirs = set(_files(left)), set(_files(right))
    if not mine and not theirs:
        collected.problems.append(f"neither {left} nor {right} holds a file to compare")
    for name in sorted(mine | theirs):
        if name not in theirs:
            collected.differences.append(Difference(name, f"only in {left}"))
        elif name not in mine:
            collected.differences.append(Difference(name, f"only in {right}"))
        else:
            _diff_files(left / name, right / name, name, collected)


def _files(root: Path) -> Iterator[str]:
    """Yield the files of a folder of results; in a checkout, only those below results/ and reports/."""
    tops = [root / "results", root / "reports"] if (root / "results").is_dir() else [root]
    for path in (path for top in tops for path in top.rglob("*")):
        name = path.relative_to(root)
        if path.is_file() and not any(p in OUTSIDE or p.startswith(".") for p in name.parts):
            yield name.as_posix()


def _diff_files(left: Path, right: Path, name: str, collected: _Collected) -> None:
    try:
        if left.stat().st_size == right.stat().st_size and file_digest(left) == file_digest(right):
            return
        if left.suffix == right.suffix == ".parquet":
            _diff_tables(left, right, name, collected)
        elif (manifests := _manifests(left, right)) is not None:
            for line in changes(*manifests):
                collected.differences.append(Difference(name, line))
            if manifests[0].suites != manifests[1].suites:
                collected.differences.append(
                    Difference(name, f"suites {manifests[0].suites} against {manifests[1].suites}")
                )
        else:
            collected.differences.append(_first_line(left, right, name))
    except AssayError as problem:
        collected.problems.append(problem.message)
    except OSError as problem:
        collected.problems.append(f"{name}: {problem}")


def _manifests(left: Path, right: Path) -> tuple[Manifest, Manifest] | None:
    heads = []
    for path in (left, right):
        with path.open("rb") as file:
            heads.append(file.read(12))
    if any(head != b'{\n "format":' for head in heads):
        return None
    return read_manifest(left), read_manifest(right)


# ------------------------------------------------------------ text


def _first_line(left: Path, right: Path, name: str) -> Difference:
    """Find the first line that differs between two files which are known to differ."""
    with left.open("rb") as mine, right.open("rb") as theirs:
        for number, (a, b) in enumerate(zip_longest(mine, theirs), 1):
            if a == b:
                continue
            if a is None or b is None:
                return Difference(name, f"line {number}: only in {left if b is None else right}")
            try:
                texts = a.decode().rstrip("\n"), b.decode().rstrip("\n")
            except UnicodeDecodeError:
                at = mine.tell() - len(a) + _common(a, b)
                return Difference(name, f"byte {at} is the first that differs")
            return _differing_line(name, number, *texts)
    return Difference(name, "one of the files changed while it was read")


def _differing_line(name: str, number: int, left: str, right: str) -> Difference:
    place, a, b = "", left, right
    try:
        values = json.loads(left), json.loads(right)
    except (ValueError, RecursionError):
        pass
    else:
        if _same(*values):
            return Difference(name, f"line {number}: the same values, written otherwise")
        place, a, b = _json_place(*values)
    excerpts = _excerpts(a, b)
    where = f"line {number}" + (f", {place}" if place else "")
    return Difference(name, f"{where}: {excerpts[0]} against {excerpts[1]}", left=a, right=b)


def _json_place(left: Any, right: Any, place: str = "") -> tuple[str, Any, Any]:
    """The path of the first difference between two JSON values, and both values at this path."""
    if isinstance(left, dict) and isinstance(right, dict):
        for name in dict.fromkeys([*left, *right]):
            inner = f"{place}.{name}" if place else name
            if name not in left or name not in right:
                return inner, left.get(name, _ABSENT), right.get(name, _ABSENT)
            if not _same(left[name], right[name]):
                return _json_place(left[name], right[name], inner)
    if isinstance(left, list) and isinstance(right, list):
        for at, (a, b) in enumerate(zip_longest(left, right, fillvalue=_ABSENT)):
            if a is _ABSENT or b is _ABSENT or not _same(a, b):
                return _json_place(a, b, f"{place}[{at}]")
    return place, left, right


def _same(left: Any, right: Any) -> bool:
    """Whether two JSON values are equal, where 1, 1.0 and true are three different values."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


class _Absent:
    def __repr__(self) -> str:
        return "nothing"


_ABSENT: Any = _Absent()


def _excerpts(left: Any, right: Any) -> tuple[str, str]:
    """Both values as text. Long ones are cut to the part around their first difference."""
    a, b = _text(left), _text(right)
    if max(len(a), len(b)) <= 2 * _SHOWN:
        return a, b
    start = max(0, _common(a, b) - _SHOWN // 2)
    return _cut(a, start), _cut(b, start)


def _text(value: Any) -> str:
    if value is None:
        return "null"
    if value is _ABSENT or isinstance(value, bytes):
        return repr(value)
    return json.dumps(value, ensure_ascii=False)


def _cut(text: str, start: int) -> str:
    end = start + _SHOWN
    return ("..." if start else "") + text[start:end] + ("..." if end < len(text) else "")


def _common(left: str | bytes, right: str | bytes) -> int:
    """The length of the common prefix."""
    for at, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b:
            return at
    return min(len(left), len(right))


# ------------------------------------------------------------ tables


_Rows: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"


@dataclass(frozen=True)
class _Pairing:
    """The pairing of the rows of two tables by their key.

    Attributes:
        left: Row numbers in the left table of the rows with a counterpart.
        right: Row numbers of their counterparts in the right table.
        only_left: Row numbers in the left table of the rows without a counterpart.
        only_right: Row numbers in the right table of the rows without a counterpart.
    """

    left: _Rows
    right: _Rows
    only_left: list[int]
    only_right: list[int]


def _diff_tables(left: Path, right: Path, name: str, collected: _Collected) -> None:
    with opened(left) as mine, opened(right) as theirs:
        _diff_declarations(mine, theirs, name, collected)
        common = [column for column in mine.schema_arrow.names if column in theirs.schema_arrow.names]
        key = [column for column in _key(mine) if column in common]
        keys, their_keys = _key_rows(left, mine, key), _key_rows(right, theirs, key)
        pairing = _pair(keys, their_keys, mine.metadata.num_rows, theirs.metadata.num_rows)
        for rows, of, where in ((pairing.only_left, keys, left), (pairing.only_right, their_keys, right)):
            if rows:
                first = _key_of(of, key, rows[0])
                collected.differences.append(
                    Difference(
                        name,
                        f"{_count(len(rows))} only in {where}, first {_words(first, rows[0])}",
                        key=first,
                        rows=len(rows),
                    )
                )
        before = len(collected.differences) + len(collected.problems)
        for column in common:
            try:
                a, b = (
                    _values_or_remains(path, file, column, collected)
                    for path, file in ((left, mine), (right, theirs))
                )
            except AssayError:
                continue  # `_values_or_remains` has noted the problem
            difference = _diff_column(name, column, a, b, pairing, their_keys if keys is None else keys, key)
            if difference is not None:
                collected.differences.append(difference)
        quiet = len(collected.differences) + len(collected.problems) == before
        if quiet and not pairing.only_left and not pairing.only_right:
            collected.remarks.append(f"{name}: equal columns and rows in other bytes")


def _diff_declarations(left: pq.ParquetFile, right: pq.ParquetFile, name: str, collected: _Collected) -> None:
    mine, theirs = left.schema_arrow, right.schema_arrow
    for column in dict.fromkeys([*mine.names, *theirs.names]):
        types = [
            str(schema.field(column).type) if column in schema.names else None for schema in (mine, theirs)
        ]
        if types[0] != types[1]:
            kinds = " against ".join(kind or "nothing" for kind in types)
            collected.differences.append(
                Difference(name, f"column {column}: {kinds}", column, left=types[0], right=types[1])
            )
    texts = [_declared(file) for file in (left, right)]
    if texts[0] != texts[1]:
        collected.differences.append(
            Difference(name, f"schema {texts[0]} against {texts[1]}", left=texts[0], right=texts[1])
        )


def _declared(file: pq.ParquetFile) -> str:
    footer = file.metadata.metadata or {}
    return b" ".join(footer.get(key, b"none") for key in (b"assay.schema", b"assay.version")).decode(
        errors="replace"
    )


def _key(file: pq.ParquetFile) -> list[str]:
    """The names of the key columns from the table's footer. Empty if the footer declares no key."""
    try:
        value = json.loads((file.metadata.metadata or {}).get(b"assay.key", b"[]"))
    except ValueError:
        return []
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def _key_rows(path: Path, file: pq.ParquetFile, key: list[str]) -> list[tuple[Any, ...]] | None:
    """The key of each row, or None if the table has no key or its key columns cannot be read."""
    if not key:
        return None
    try:
        return list(zip(*(_values(path, file, name).to_pylist() for name in key), strict=True))
    except (AssayError, *UNREADABLE):
        return None


def _values(path: Path, file: pq.ParquetFile, column: str) -> pa.ChunkedArray:
    try:
        read = file.read(columns=[column], use_threads=False)
        read.validate(full=True)
    except UNREADABLE as problem:
        raise TableError(f"{path}: column {column} cannot be read ({one_line(problem)})", "") from problem
    return read.column(0)


def _values_or_remains(
    path: Path, file: pq.ParquetFile, column: str, collected: _Collected
) -> pa.ChunkedArray:
    """Read a column. If a page fails its checksum, note the problem and read the column without checksums.

    The values that can still be decoded then show where the file is damaged.
    """
    try:
        return _values(path, file, column)
    except TableError as problem:
        collected.problems.append(problem.message)
        with pq.ParquetFile(path, page_checksum_verification=False) as unchecked:
            return _values(path, unchecked, column)


def _pair(left: list[Any] | None, right: list[Any] | None, n_left: int, n_right: int) -> _Pairing:
    unique = (
        left is not None and right is not None and len(set(left)) == n_left and len(set(right)) == n_right
    )
    if left is None or right is None or left == right or not unique:
        both = np.arange(min(n_left, n_right), dtype=np.int64)
        return _Pairing(both, both, list(range(len(both), n_left)), list(range(len(both), n_right)))
    places, mine = {key: at for at, key in enumerate(right)}, set(left)
    pairs = [(at, places[key]) for at, key in enumerate(left) if key in places]
    return _Pairing(
        np.array([a for a, _ in pairs], dtype=np.int64),
        np.array([b for _, b in pairs], dtype=np.int64),
        [at for at, key in enumerate(left) if key not in places],
        [at for at, key in enumerate(right) if key not in mine],
    )


def _diff_column(
    file: str,
    column: str,
    left: pa.ChunkedArray,
    right: pa.ChunkedArray,
    pairing: _Pairing,
    keys: list[tuple[Any, ...]] | None,
    key: list[str],
) -> Difference | None:
    """The difference between two columns of the paired rows, or None if all values are equal.

    It states the first row whose values differ, and the number of such rows.
    """
    a, b = left.take(pa.array(pairing.left)), right.take(pa.array(pairing.right))
    if a.type != b.type:
        return None  # `_diff_declarations` reports it
    unequal = pc.not_equal(a, b).fill_null(False).to_numpy()
    unequal = unequal | (a.is_null().to_numpy() != b.is_null().to_numpy())
    if pa.types.is_floating(a.type):
        unequal &= ~(pc.is_nan(a).fill_null(False).to_numpy() & pc.is_nan(b).fill_null(False).to_numpy())
    rows = np.flatnonzero(unequal)
    if not len(rows):
        return None
    first = int(rows[0])
    values = a[first].as_py(), b[first].as_py()
    excerpts = _excerpts(*values)
    place = _key_of(keys, key, int(pairing.left[first]))
    verb = "differs" if len(rows) == 1 else "differ"
    return Difference(
        file,
        f"column {column}: {_count(len(rows))} {verb}, first {_words(place, int(pairing.left[first]))}:"
        f" {excerpts[0]} against {excerpts[1]}",
        column,
        place,
        *values,
        rows=len(rows),
    )


def _key_of(keys: list[tuple[Any, ...]] | None, names: list[str], row: int) -> dict[str, Any] | None:
    return None if keys is None else dict(zip(names, keys[row], strict=True))


def _words(key: Mapping[str, Any] | None, row: int) -> str:
    if key is None:
        return f"row {row}"
    return (
        "(" + ", ".join(f"{name}={'null' if value is None else value}" for name, value in key.items()) + ")"
    )


def _count(rows: int) -> str:
    return f"{rows} {'row' if rows == 1 else 'rows'}"
