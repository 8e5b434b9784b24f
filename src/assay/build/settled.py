"""Recognizes a build in which nothing has changed since the last run, without starting Snakemake.

After a run that ended well, a note says what it depended on: the text of the source and the configuration,
the status (size, times, inode) of every input and output of its jobs, the folders in which a build looks
for files, the arguments, and the environment. If all of this is the same at the next run with the same
arguments, Snakemake would find nothing to do. Any difference, also a file that was only touched, and any
option that this module does not know, goes the long way.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from assay import canonical

NOTE = Path(".snakemake/assay-settled.json")

FILES = Path(".snakemake/assay-files.json")
"""Inputs and outputs of the jobs of the last run, written by `rules/snakemake.smk`."""

SOURCES = ("Snakefile", "rules", "workflow", "src", "config", "profiles", "envs", "docs", "tests/protocol")
"""Files and folders whose text decides which jobs there are and what they do, the made-up suite's too."""

SEARCHED = ("tasks", "recordings", "ledger", "judgements")
"""Folders in which the plan looks for files; a new file there can be a new input."""

OPTIONS = {"--cores": 1, "-c": 1, "--configfile": 1, "--config": None, "--": 0}
"""The options of a plain build, with the number of their values; None takes all up to the next option."""

REWRITTEN = "reports/verdict.html"
"""The page that `assay verify` writes anew after each build; only whether it is there counts."""

WITHOUT_EFFECT = frozenset({"--cores", "-c"})


def plain(arguments: list[str]) -> list[str] | None:
    """Return what the arguments ask for, without how many cores do it; None if there is any unusual option.

    Example:
        >>> plain(["--cores", "2", "--configfile", "a.yaml", "--", "all"])
        ['--configfile', 'a.yaml', '--', 'all']
        >>> plain(["--cores", "2", "--dry-run"]) is None
        True
    """
    asked: list[str] = []
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        name, equals, _ = word.partition("=")
        if not word.startswith("-") or asked[-1:] == ["--"]:
            asked.append(word)
            continue
        if name not in OPTIONS:
            return None
        values = [] if equals else _values(OPTIONS[name], rest)
        if name not in WITHOUT_EFFECT:
            asked += [word, *values]
    return asked


def _values(number: int | None, rest: list[str]) -> list[str]:
    if number is None:
        number = next((at for at, word in enumerate(rest) if word.startswith("-")), len(rest))
    values, rest[:] = rest[:number], rest[number:]
    return values


class Settled:
    """The state of everything that a run depends on, taken before the run starts.

    Args:
        arguments: The arguments of Snakemake.
    """

    def __init__(self, arguments: list[str]) -> None:
        self._asked = plain(arguments)
        if any(Path(word).is_file() and not word.startswith("config/") for word in self._asked or ()):
            self._asked = None  # a configuration elsewhere, whose text is not among the sources
        self._started = time.time_ns()
        self._sources = _sources() if self._asked is not None else ""

    def holds(self) -> bool:
        """Whether everything is as it was after the last run with these arguments, which ended well."""
        if self._asked is None:
            return False
        try:
            note = json.loads(NOTE.read_text("utf-8"))
            files = json.loads(FILES.read_text("utf-8"))
        except (OSError, ValueError):
            return False
        return bool(note == self._state(files))

    def note(self) -> None:
        """Keep what the run depended on, if it ended well and nothing changed while it ran."""
        with suppress(OSError):
            NOTE.unlink(missing_ok=True)
        if self._asked is None:
            return
        try:
            files = json.loads(FILES.read_text("utf-8"))
            if _sources() != self._sources or self._edited(files["inputs"]):
                return
            state = self._state(files)
            part = NOTE.with_suffix(".part")
            part.write_text(json.dumps(state), "utf-8")
            part.replace(NOTE)
        except (OSError, ValueError, KeyError):
            return  # the next run goes the long way

    def _edited(self, inputs: Iterable[str]) -> bool:
        """Whether a file that no job makes has changed since the run started."""
        return any(Path(file).stat().st_ctime_ns >= self._started for file in inputs)

    def _state(self, files: dict[str, list[str]]) -> dict[str, Any]:
        paths = [Path(file) for file in files["inputs"]]
        folders = {str(folder) for path in paths for folder in path.parents[:2]} - {"."}
        return {
            "asked": self._asked,
            "sources": self._sources,
            # A file added to a folder changes the folder's times; it may be an input of the next plan.
            "files": _digest(map(_status, [*files["inputs"], *files["outputs"], *sorted(folders)])),
            "searched": _digest(_statuses(SEARCHED)),
            "environment": canonical.digest(
                [
                    sys.version,
                    sys.prefix,
                    {name: value for name, value in os.environ.items() if name.startswith("ASSAY_")},
                    sorted(path.name for folder in sys.path for path in Path(folder).glob("*.dist-info")),
                ]
            ),
        }


def _sources() -> str:
    """Return the hash (hex) of the text of all source and configuration."""
    total = hashlib.sha256()
    for file in _walk(SOURCES):
        total.update(f"{file}\n{hashlib.sha256(Path(file).read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()


def _statuses(tops: Iterable[str]) -> Iterator[str]:
    return (_status(file) for file in _walk(tops))


def _walk(tops: Iterable[str]) -> Iterator[str]:
    for top in tops:
        if Path(top).is_file():
            yield top
        for folder, folders, files in os.walk(top):
            folders[:] = sorted(name for name in folders if name != "__pycache__")
            yield from (f"{folder}/{name}" for name in sorted(files))


def _status(file: str) -> str:
    try:
        status = Path(file).stat()
    except OSError:
        return f"{file} is missing"
    if file == REWRITTEN:
        return file
    return f"{file} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"


def _digest(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
