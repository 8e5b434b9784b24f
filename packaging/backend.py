"""The build backend: flit, whose wheel also holds the files of a project in the folder `assay/packaged`.

With them, the installed package opens tasks, plays and serves them without a checkout, and `assay init` makes
a project. Archives have fixed times and an order of their own, so that equal sources give equal bytes;
`SOURCE_DATE_EPOCH` overrides the time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from flit_core import buildapi, wheel
from flit_core.buildapi import get_requires_for_build_editable as get_requires_for_build_editable
from flit_core.buildapi import get_requires_for_build_sdist as get_requires_for_build_sdist
from flit_core.buildapi import get_requires_for_build_wheel as get_requires_for_build_wheel
from flit_core.buildapi import prepare_metadata_for_build_editable as prepare_metadata_for_build_editable
from flit_core.buildapi import prepare_metadata_for_build_wheel as prepare_metadata_for_build_wheel

EPOCH = "1735689600"
"""The time of all members of an archive if `SOURCE_DATE_EPOCH` does not give one: 2025-01-01."""

PROJECT = (
    *("Snakefile", "Makefile", ".snakemake-workflow-catalog.yml", "LICENSE", "NOTICE"),
    *("config", "envs", "profiles", "rules", "tasks", "workflow", "pyproject.toml", "packaging", "README.md"),
)
"""The files and folders of a project. The package itself stands beside them in the wheel."""

PLACE = "assay/packaged"

LEFT_OUT = frozenset({"__pycache__", "test"})
"""Names of folders that are no part of a project: the configurations of the tests."""


def project_files(root: Path) -> Iterator[Path]:
    """Yield the paths of a project's files, relative to the checkout, sorted."""
    for name in sorted(PROJECT):
        path = root / name
        if path.is_file():
            yield path.relative_to(root)
        elif path.is_dir():
            for file in sorted(path.rglob("*")):
                if file.is_file() and not LEFT_OUT & set(file.relative_to(root).parts):
                    yield file.relative_to(root)


class WheelBuilder(wheel.WheelBuilder):
    """Flit's builder, which adds the files of a project to the module."""

    def copy_module(self) -> None:
        """Add the module, then the files of a project."""
        super().copy_module()
        for path in project_files(Path(self.directory)):
            self._add_file(self.directory / path, f"{PLACE}/{path.as_posix()}")


def build_wheel(directory: str, config: object = None, metadata: object = None) -> str:
    """Write the wheel into a folder, and return its name."""
    os.environ.setdefault("SOURCE_DATE_EPOCH", EPOCH)
    wheel.WheelBuilder = WheelBuilder
    name: str = buildapi.build_wheel(directory)
    return name


def build_editable(directory: str, config: object = None, metadata: object = None) -> str:
    """Write a wheel that points to the checkout, and return its name."""
    name: str = buildapi.build_editable(directory)
    return name


def build_sdist(directory: str, config: object = None) -> str:
    """Write the source archive into a folder, and return its name."""
    os.environ.setdefault("SOURCE_DATE_EPOCH", EPOCH)
    name: str = buildapi.build_sdist(directory)
    return name
