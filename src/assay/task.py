"""A task: its identity, what is public about it, what is hidden, and its frozen JSON form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay import canonical
from assay.errors import TaskError
from assay.parts import BlobRef


@dataclass(frozen=True)
class Task:
    """One item of a benchmark: a pure function of its set, its index and the set's seed.

    `strata` holds every group-by of the tables (tier, world, family ...). `public` is what an agent may
    know, `hidden` the truth: never in a brief, a result or the text of an exception.
    """

    suite: str
    task_set: str
    task_id: str
    seed: int
    version: int
    strata: Mapping[str, str]
    public: Any
    hidden: Any
    blobs: tuple[BlobRef, ...] = field(default=())

    def to_json(self) -> dict[str, Any]:
        """The task as a JSON value."""
        return {
            "suite": self.suite,
            "task_set": self.task_set,
            "task_id": self.task_id,
            "seed": self.seed,
            "version": self.version,
            "strata": dict(self.strata),
            "public": self.public,
            "hidden": self.hidden,
            "blobs": [{"sha256": b.sha256, "media_type": b.media_type, "size": b.size} for b in self.blobs],
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Task:
        """The task of a JSON value; `KeyError` or `TypeError` where it is not one."""
        return cls(**{**value, "blobs": tuple(BlobRef(**b) for b in value["blobs"])})

    def frozen_text(self) -> str:
        """The text of the task's file in `tasks/`: sorted keys, indented for review."""
        canonical.dumps(self.to_json())  # refuses what is not JSON
        return json.dumps(self.to_json(), sort_keys=True, indent=1, ensure_ascii=False) + "\n"

    def to_row(self, index: int) -> dict[str, Any]:
        """The task's row of the table `tasks`."""
        value = self.to_json()
        texts = {name: canonical.dumps(value[name]) for name in ("strata", "public", "hidden", "blobs")}
        return {**value, **texts, "index": index, "sha256": self.digest}

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Task:
        """The task of its row of the table `tasks`."""
        plain = {name: row[name] for name in ("suite", "task_set", "task_id", "seed", "version")}
        texts = {name: canonical.loads(row[name]) for name in ("strata", "public", "hidden", "blobs")}
        return cls.from_json({**plain, **texts})

    @property
    def digest(self) -> str:
        """sha256 (hex) of the canonical JSON form."""
        return canonical.digest(self.to_json())


def file_name(index: int) -> str:
    """The name of the file that holds the task of that index in a frozen set."""
    return f"{index:05d}.json"


def read_frozen(path: Path) -> Task:
    """Read one frozen task; `TaskError` where the file is not one."""
    try:
        return _checked(Task.from_json(canonical.loads(path.read_bytes())))
    except (ValueError, KeyError, TypeError) as problem:
        raise TaskError(
            f"{path} is not a frozen task ({problem})",
            "restore it from git (git checkout -- the file); a frozen set is never edited, only succeeded",
        ) from problem


def _checked(task: Task) -> Task:
    """The task; `TypeError` or `ValueError` where a field is not of its kind, which a file may hold."""
    texts = [task.suite, task.task_set, task.task_id]
    texts += [ref.sha256 for ref in task.blobs] + [ref.media_type for ref in task.blobs]
    if isinstance(task.strata, dict):
        texts += task.strata.values()
    else:
        raise TypeError("strata is no object")
    numbers = [task.seed, task.version, *(ref.size for ref in task.blobs)]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("a name is no text")
    if not all(type(number) is int and 0 <= number < 2**63 for number in numbers):
        raise TypeError("seed, version or size is no whole number from 0 to 2**63")
    canonical.dumps(task.to_json()).encode()  # half a character has no place in a table
    return task
