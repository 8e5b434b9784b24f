"""Which files of this installation a box may read: the standard library and the packages it was given."""

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
    """`folders` of modules (for `sys.path`), top-level `names` in them, and all `readable` paths."""

    folders: tuple[str, ...]
    names: tuple[str, ...]
    readable: tuple[str, ...]


def interpreter() -> str:
    """The path of the Python that runs in a box: this one, without the environment around it."""
    return str(Path(sys.executable).resolve())


@cache
def find(distributions: tuple[str, ...]) -> Libraries:
    """What boxes with these distributions (and what they require) see.

    Raises `PlatformError` for one that is not installed. Names are those of the package index: numpy, scipy.
    """
    folders: list[str] = []
    names: set[str] = set()
    # Of the interpreter itself: by default the second one lies in the environment around it.
    base = {"base": sys.base_prefix, "platbase": sys.base_exec_prefix, "installed_base": sys.base_prefix}
    standard = (Path(sysconfig.get_path(name, vars=base)) for name in ("stdlib", "platstdlib"))
    readable = list(dict.fromkeys(str(path.resolve()) for path in standard if path.is_dir()))
    waiting, known = list(distributions), set()
    while waiting:
        asked = waiting.pop()
        if _normal(asked) in known:
            continue
        known.add(_normal(asked))
        try:
            found = metadata.distribution(asked)
        except metadata.PackageNotFoundError:
            if asked in distributions:
                raise PlatformError(
                    f"the sandbox is to offer the package {asked}, which is not installed", "make setup"
                ) from None
            continue  # required under conditions that do not hold here
        folder = str(Path(str(found.locate_file(""))).resolve())
        if folder not in folders:
            folders.append(folder)
        for top in {file.parts[0] for file in found.files or ()}:
            if top not in ("..", "__pycache__") and not top.endswith(".pth"):
                names.add(top.partition(".")[0])
                readable.append(f"{folder}/{top}")
        waiting += [
            re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]
            for requirement in found.requires or ()
            if "extra ==" not in requirement and "extra==" not in requirement
        ]
    return Libraries(tuple(folders), tuple(sorted(names)), tuple(sorted(readable)))


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
