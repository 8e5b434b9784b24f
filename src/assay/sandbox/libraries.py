"""Finds the files of this installation that a box may read: the standard library and some packages."""

from __future__ import annotations

import re
import sys
import sysconfig
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from assay.errors import PlatformError


class Libraries(NamedTuple):
    """Files that a box may read.

    Attributes:
        folders: Folders of packages, to be added to `sys.path`.
        names: Top-level names of the modules in these folders that may be imported.
        readable: All files and folders that the box must be able to read.
    """

    folders: tuple[str, ...]
    names: tuple[str, ...]
    readable: tuple[str, ...]


def interpreter() -> str:
    """The path of the Python interpreter that runs in a box.

    It is the present one, with links resolved, so that it does not lie in a virtual environment.
    """
    return str(Path(sys.executable).resolve())


@cache
def find(distributions: tuple[str, ...]) -> Libraries:
    """Find the files that a box with these distributions and their requirements may read.

    Args:
        distributions: Names of distributions as in the package index, such as numpy or scipy.

    Raises:
        PlatformError: One of these distributions is not installed.
    """
    folders: list[str] = []
    names: set[str] = set()
    # Use the folders of the interpreter itself: by default `platstdlib` lies in the virtual environment.
    base = {"base": sys.base_prefix, "platbase": sys.base_exec_prefix, "installed_base": sys.base_prefix}
    standard = (Path(sysconfig.get_path(name, vars=base)) for name in ("stdlib", "platstdlib"))
    readable = list(dict.fromkeys(str(path.resolve()) for path in standard if path.is_dir()))
    waiting, known = list(distributions), set()
    while waiting:
        name = waiting.pop()
        if _normal(name) in known:
            continue
        known.add(_normal(name))
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            if name in distributions:
                raise PlatformError(
                    f"the sandbox is to offer the package {name}, which is not installed", "make setup"
                ) from None
            continue  # a conditional requirement whose condition does not hold here
        folder = str(Path(str(distribution.locate_file(""))).resolve())
        if folder not in folders:
            folders.append(folder)
        for top in {file.parts[0] for file in distribution.files or ()}:
            if top not in ("..", "__pycache__") and not top.endswith(".pth"):
                names.add(top.partition(".")[0])
                readable.append(f"{folder}/{top}")
        waiting += [
            re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]
            for requirement in distribution.requires or ()
            if "extra ==" not in requirement and "extra==" not in requirement
        ]
    return Libraries(tuple(folders), tuple(sorted(names)), tuple(sorted(readable)))


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
