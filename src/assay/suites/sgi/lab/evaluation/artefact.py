"""What a stage leaves behind: a JSON file that says from what it was made, to be taken up again."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay import canonical
from assay.errors import TableError
from assay.writing import write_whole

VERSION = 1
"""Raised when the form or the meaning of an artefact changes: stages are then done again."""


@dataclass(frozen=True)
class Artefact:
    """A stage's result; `made_from` (hex) is of everything that decides it."""

    stage: str
    made_from: str
    content: Any
    taken_up: bool = False

    @property
    def sha256(self) -> str:
        """Of the result, for the stage that comes next."""
        return canonical.digest([self.stage, self.content])


def staged(
    folder: Path,
    name: str,
    decisive: Any,
    make: Callable[[], Any],
    whole: Callable[[], bool] = lambda: True,
) -> Artefact:
    """The result of a stage: taken up where the folder has one made from the same, else made.

    It is kept to be taken up if `whole` says so, after it was made: nothing is missing in it.
    """
    path = folder / f"{name}.json"
    key = canonical.digest([VERSION, name, decisive])
    if path.is_file():
        found = _read(path)
        if found.get("made_from") == key:
            return Artefact(name, key, found["content"], True)
    content = json.loads(canonical.dumps(make()))
    kept = key if whole() else ""
    value = {"stage": name, "version": VERSION, "made_from": kept, "content": content}
    write_whole(path, json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    return Artefact(name, key, content)


def _read(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise TableError(
            f"{path} is no artefact ({problem})", "remove it: its stage is done again"
        ) from problem
    if not isinstance(value, dict) or "content" not in value:
        raise TableError(f"{path} is no artefact", "remove it: its stage is done again")
    return value
