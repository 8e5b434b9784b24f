"""Tasks, which have a public and a hidden part, and their frozen form as JSON."""

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
    """One item of a benchmark, a pure function of its set, its index and the seed of the set.

    Attributes:
        suite: The suite.
        task_set: The set.
        task_id: The name of the task, unique in its set.
        seed: The seed of the task's world.
        version: The version of the task's format.
        strata: The groups to which the task belongs, by which tables aggregate: the task's level by the name
            of the stratum (tier, world, family ...).
        public: The part of the task that an agent may know.
        hidden: The truth. It never appears in a brief, a result or the text of an exception.
        blobs: References to the pictures and files of the task.
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
        """Return the task as a JSON value."""
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
        """Return the task that a JSON value describes.

        Raises:
            KeyError, TypeError: If it does not describe a task.
        """
        return cls(**{**value, "blobs": tuple(BlobRef(**b) for b in value["blobs"])})

    def frozen_text(self) -> str:
        """Return the text of the task's file in `tasks/`: JSON with sorted keys, indented for review."""
        canonical.dumps(self.to_json())  # raises for a value that is not JSON
        return json.dumps(self.to_json(), sort_keys=True, indent=1, ensure_ascii=False) + "\n"

    def to_row(self, index: int) -> dict[str, Any]:
        """Return the task's row in the table `tasks`; `index` is its number in the set."""
        value = self.to_json()
        texts = {name: canonical.dumps(value[name]) for name in ("strata", "public", "hidden", "blobs")}
        return {**value, **texts, "index": index, "sha256": self.digest}

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Task:
        """Return the task of a row of the table `tasks`."""
        plain = {name: row[name] for name in ("suite", "task_set", "task_id", "seed", "version")}
        texts = {name: canonical.loads(row[name]) for name in ("strata", "public", "hidden", "blobs")}
        return cls.from_json({**plain, **texts})

    @property
    def digest(self) -> str:
        """The sha256 (hex) of the canonical JSON form."""
        return canonical.digest(self.to_json())


def file_name(index: int) -> str:
    """Return the name of a task's file in a frozen set."""
    return f"{index:05d}.json"


def read_frozen(path: Path) -> Task:
    """Read a frozen task.

    Raises:
        TaskError: If the file is not a frozen task.
    """
    try:
        return _checked(Task.from_json(canonical.loads(path.read_bytes())))
    except (ValueError, KeyError, TypeError) as problem:
        raise TaskError(
            f"{path} is not a frozen task ({problem})",
            "restore it from git (git checkout -- the file); a frozen set is never edited, only succeeded",
        ) from problem


def _checked(task: Task) -> Task:
    """Return the task, or raise `TypeError` or `ValueError` for a field of a wrong type."""
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
    canonical.dumps(task.to_json()).encode()  # raises for a lone surrogate, which no table can hold
    return task
