"""Registries name functions and schemas as text: each exists, and the source of its jobs includes it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from assay.specs import CheckSpec, FigureSpec, TableSpec, resolve

ROOT = Path(__file__).resolve().parents[2]

PACKAGES = [
    *(f"assay.suites.{path.parent.name}" for path in sorted(ROOT.glob("src/assay/suites/*/settings.py"))),
    "tests.protocol.madeup",
]

RESOLVE_ALL = """
import sys
from importlib import import_module
from assay.build.fingerprint import guard
from assay.specs import resolve

package = sys.argv[1]
rooms = [f"{package}.{room}" for room in ("analysis", "figures", "validation")]
tables, figures, checks = (
    getattr(import_module(room), name).values()
    for room, name in zip(rooms, ("TABLES", "FIGURES", "CHECKS"))
)
for entry in (*tables, *figures, *checks):
    assert callable(resolve(entry.function)), entry
for table in tables:
    assert table.schema.columns, table
guard(["assay.build.fingerprint", *rooms], ".")
"""


@pytest.mark.parametrize("package", PACKAGES)
def test_every_reference_exists_and_is_followed_by_the_fingerprint(package: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RESOLVE_ALL, package],
        cwd=ROOT,
        env={"PYTHONPATH": "src:."},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_specs_take_functions_and_references() -> None:
    assert resolve(len) is len
    assert list(CheckSpec("itertools:repeat", "").rows(1, 2)) == [1, 1]
    table = TableSpec("operator:getitem", "assay.tables.schemas.tasks:TASKS", "a table", ({"a": 1},))
    assert table.make("a") == 1  # type: ignore[arg-type]
    assert table.schema.name == "tasks"
    assert FigureSpec(lambda tables: tables["a"], "a figure").draw({"a": 2}) == 2
    with pytest.raises(ModuleNotFoundError):
        TableSpec("assay.nowhere:x", None, "").make({})
    with pytest.raises(AttributeError):
        FigureSpec("assay.specs:nothing", "").draw({})
