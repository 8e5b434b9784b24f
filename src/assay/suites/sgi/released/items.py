"""Released rows as tasks: a folder of the user in the form in which the paper's data is published.

Nothing of the folder is copied into the checkout. The family of a file follows from the released name in its
path (`SGI-WetExperiment/data/test-00000.parquet`), or else from the `idx` of its first row.
"""

from __future__ import annotations

import ast
import base64
import binascii
import math
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from assay.config import yaml
from assay.errors import TableError
from assay.protocol import BlobRef, Blobs
from assay.suites.sgi.dry.runs import distributions
from assay.suites.sgi.families import FAMILIES, RELEASED, RELEASED_NAMES, Family
from assay.suites.sgi.items import SHOWN, TYPES
from assay.suites.sgi.released.loader import COLUMNS, SUFFIXES, Row, fault, load, rows, side_files
from assay.task import Task

DATA_FILES = ("forms.yaml",)
VERSION = 1
LEAVE_OUT = "leave-out.txt"
"""A file in the folder with one `idx` a line: items that are not played."""

PICTURES: Mapping[bytes, str] = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}
LARGEST = 20_000_000
"""Bytes of a picture."""


@cache
def forms() -> Mapping[Family, str]:
    """The file `forms.yaml`."""
    found: Mapping[Family, str] = yaml.read(Path(__file__).with_name(DATA_FILES[0]))
    return found


def is_released(row: Mapping[str, Any]) -> bool:
    """Whether an item, or the hidden part of one, is a released one."""
    return row.get("x_generation") == RELEASED


def released_files(folder: Path) -> list[Path]:
    """The files below a folder that `read_released` reads: rows, pictures, the list of what to leave out."""
    pictures = [path for path in folder.rglob("*") if path.suffix.lower() in (".png", ".jpg", ".jpeg")]
    extra = [folder / LEAVE_OUT] if (folder / LEAVE_OUT).is_file() else []
    return sorted([*(path for path, _ in _data_files(folder)), *pictures, *extra])


def read_released(folder: Path, set_name: str, blobs: Blobs) -> Iterator[Task]:
    """The tasks of a folder, by family and then in the order of its files.

    Raises:
        TableError: a row is faulty (the message names file, row and column), two rows have one `idx`, or
            items need packages or files that are missing.
    """
    left_out = _left_out(folder)
    by_family: dict[Family, list[Row]] = {}
    for path, family in sorted(_data_files(folder), key=lambda entry: (FAMILIES.index(entry[1]), entry[0])):
        for row in load(path, family, skip=left_out)[0]:
            row["x_folder"] = str(path.parent)
            by_family.setdefault(family, []).append(row)
    seen: set[str] = set()
    for family, found in by_family.items():
        for row in found:
            if row["idx"] in seen:
                raise fault(str(folder), "idx", f"{row['idx']} comes twice")
            seen.add(row["idx"])
        if family == "dry_experiment":
            _check_means(folder, found)
    for family, found in by_family.items():
        for row in found:
            yield _task(row, family, set_name, folder, blobs)


def _data_files(folder: Path) -> list[tuple[Path, Family]]:
    found = []
    for path in sorted(folder.rglob("*")):
        if path.name.endswith(SUFFIXES) and path.is_file():
            family = _family_of(path, folder)
            if family is not None:
                found.append((path, family))
            elif path.suffix != ".json":  # others describe a data set
                raise TableError(
                    f"{path}: neither its path nor its first row tells the family",
                    "put it into a folder named after its family, such as SGI-DeepResearch",
                )
    return found


def _family_of(path: Path, folder: Path) -> Family | None:
    place = (
        f"{folder.name}/{path.relative_to(folder).as_posix()}".replace("-", "").replace("_", "").casefold()
    )
    for family, name in RELEASED_NAMES.items():
        if f"sgi{name}".casefold() in place:
            return family
    try:
        idx = str(next((row.get("idx") for _, row in rows(path)), ""))
    except TableError:
        if path.suffix == ".json":
            return None
        raise
    return next((family for family, name in RELEASED_NAMES.items() if f"_{name}_" in idx), None)


def _left_out(folder: Path) -> frozenset[str]:
    path = folder / LEAVE_OUT
    try:
        return frozenset(path.read_text(encoding="utf-8").split()) if path.is_file() else frozenset()
    except (OSError, UnicodeDecodeError) as problem:
        raise TableError(f"{path} cannot be read ({problem})", "write one idx a line") from problem


def _check_means(folder: Path, found: list[Row]) -> None:
    """One message about everything that items need and that is not there."""
    missing: dict[str, list[str]] = {}
    for row in found:
        codes = (row["main_code"], row["data_code"], *(row[f"unit_test_{k}_data"] for k in range(5)))
        for package in sorted({name for code in codes for name in _imports(code)} - _importable()):
            missing.setdefault(f"the package {package}", []).append(row["idx"])
        if (needed := side_files(row["idx"])) is not None:
            missing.setdefault(f"the files {needed}, which the sandbox does not get", []).append(row["idx"])
    if missing:
        told = "; ".join(f"{', '.join(items)} need {what}" for what, items in sorted(missing.items()))
        raise TableError(
            f"{folder}: {told}",
            "make setup EXTRAS=dry installs scikit-learn, rdkit and xgboost; "
            f"list items that stay out in {LEAVE_OUT}",
        )


def _imports(code: str) -> set[str]:
    """The top-level names of the modules that a program imports outside of `try`."""
    try:
        tree = ast.parse(code.replace("\r\n", "\n"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()  # a data script that is no Python fails its test
    tried = {id(inner) for node in ast.walk(tree) if isinstance(node, ast.Try) for inner in ast.walk(node)}
    names = set()
    for node in ast.walk(tree):
        if id(node) not in tried and isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif id(node) not in tried and isinstance(node, ast.ImportFrom) and not node.level:
            names.add(str(node.module).partition(".")[0])
    return names


@cache
def _importable() -> frozenset[str]:
    """Modules that a program in the sandbox can import."""
    offered = {name.casefold() for name in distributions()}
    provided = metadata.packages_distributions()
    found = {name for name, owners in provided.items() if offered & {owner.casefold() for owner in owners}}
    return frozenset({*found, *sys.stdlib_module_names, "data_en"})


def _task(row: Row, family: Family, set_name: str, folder: Path, blobs: Blobs) -> Task:
    place = f"{folder}, {row['idx']}"
    kept: Row = {name: _plain(row[name]) for name, kind in COLUMNS[family].items() if kind != "pictures"}
    refs: tuple[BlobRef, ...] = ()
    if family == "experimental_reasoning":
        base = Path(row["x_folder"])
        refs = tuple(
            _picture(f"{place}, picture {n}", cell, base, blobs) for n, cell in enumerate(row["images"])
        )
        kept |= {"images": [ref.sha256 for ref in refs], "step_images": []}
    return Task(
        suite="sgi",
        task_set=set_name,
        task_id=row["idx"].casefold(),
        seed=0,
        version=VERSION,
        strata={
            "family": family,
            "discipline": row["discipline"],
            "type": row[TYPES[family]],
            "level": "",
            "generation": RELEASED,
        },
        public={
            "family": family,
            "columns": {name: kept[name] for name in SHOWN[family]},
            "form": forms()[family],
        },
        hidden={name: value for name, value in kept.items() if name not in SHOWN[family]}
        | {"x_generation": RELEASED},
        blobs=refs,
    )


def _plain(value: Any) -> Any:
    """A cell as JSON has it; a number that is none becomes None."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _picture(place: str, cell: Any, base: Path, blobs: Blobs) -> BlobRef:
    """A picture as bytes, as base64, or as a path relative to its file and below its folder."""
    data: Any = cell.get("bytes") if isinstance(cell, Mapping) else cell
    if data is None and isinstance(cell, Mapping):
        data = cell.get("path")
    if isinstance(data, str):
        data = _of_text(place, data, base)
    kind = None
    if isinstance(data, bytes) and len(data) <= LARGEST:
        kind = next((kind for start, kind in PICTURES.items() if data.startswith(start)), None)
    if kind is None:
        raise fault(place, "images", f"is no PNG or JPEG of at most {LARGEST // 1_000_000} MB")
    return blobs.put(data, kind)


def _of_text(place: str, text: str, base: Path) -> bytes | None:
    if text.lower().endswith((".png", ".jpg", ".jpeg")) and len(text) < 1000 and "\0" not in text:
        path = (base / text).resolve()
        if not path.is_relative_to(base.resolve()):
            raise fault(place, "images", f"{text} lies outside of the folder")
        try:
            return path.read_bytes() if path.stat().st_size <= LARGEST else None
        except OSError as problem:
            raise fault(place, "images", f"{text} cannot be read ({problem.strerror})") from problem
    try:
        return base64.b64decode(text.partition("base64,")[2] or text, validate=True)
    except (binascii.Error, ValueError):
        return None
