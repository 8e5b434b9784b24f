"""Task sets that are read from files of the user, such as those released with a paper.

The configuration names a folder (`NAME: {path: FOLDER}`), and the suite's room `tasks` reads it
(`assay.rooms.ReleasedTasksRoom`). The files stay where they are: nothing is copied into the checkout, and
such a set is never frozen.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

from assay import canonical
from assay.config.secret import SUFFIX
from assay.errors import ConfigError, TaskError
from assay.protocol import Blobs, TaskSet
from assay.suite import Suite
from assay.task import Task

if TYPE_CHECKING:
    from assay.rooms import ReleasedTasksRoom

DESCRIPTION = "tasks read from files on the machine of the build; never frozen"


def declaration(suite: Suite, name: str) -> TaskSet:
    """Return the declaration of a set, also of one that is read from a path and that no suite declares.

    A private set has the declaration of the public set after which it is named.
    """
    declared = suite.room("tasks").SETS.get(name.removesuffix(SUFFIX))
    return declared or TaskSet(0, 0, DESCRIPTION)


@dataclass(frozen=True)
class ReleasedSet:
    """A task set that a folder of files holds.

    Args:
        suite: The suite that reads the files.
        name: The name of the set in the configuration.
        folder: The folder, absolute or relative to the working directory.
    """

    suite: Suite
    name: str
    folder: Path

    @cached_property
    def files(self) -> list[Path]:
        """The files of the folder that the suite reads, sorted by path.

        Raises:
            ConfigError: If the suite reads no such files, or the folder is missing or has none of them.
        """
        room = self._room()
        if not self.folder.is_dir():
            raise ConfigError(
                f"{self._place}: there is no folder {self.folder}",
                "name the folder that holds the released files, or remove the set from the configuration",
            )
        files = sorted(room.released_files(self.folder))
        if not files:
            raise ConfigError(
                f"{self._place}: {self.folder} has none of the files that the suite reads",
                f"name the folder that holds them; docs/{self.suite.name}.md lists their names",
            )
        return files

    def tasks(self, blobs: Blobs) -> list[Task]:
        """Read and verify all tasks of the folder.

        Args:
            blobs: Receives the pictures and files that the tasks show.

        Returns:
            The tasks, sorted by their ids as in the table `tasks`.

        Raises:
            AssayError: If a file is malformed; the message names the file and the place in it.
            TaskError: If two tasks have one name.
        """
        room, names = self._room(), set[str]()
        tasks = list(room.read_released(self.folder, self.name, blobs)) if self.files else []
        for task in tasks:
            if (task.suite, task.task_set) != (self.suite.name, self.name) or task.task_id in names:
                raise TaskError(
                    f"{self._place}: {task.suite}/{task.task_set}/{task.task_id} is not one more task of it",
                    "let the suite's `read_released` give each task the name of the set and an id of its own",
                )
            names.add(task.task_id)
            room.verify(task)
        return sorted(tasks, key=lambda task: task.task_id)

    @property
    def digest(self) -> str:
        """The sha256 (hex) of the names of the files, relative to the folder, and of their contents."""
        sums = {
            path.relative_to(self.folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in self.files
        }
        return canonical.digest(sums)

    @property
    def _place(self) -> str:
        return f"{self.suite.name}: the set {self.name}"

    def _room(self) -> ReleasedTasksRoom:
        room = self.suite.room("tasks")
        if not hasattr(room, "read_released"):
            raise ConfigError(
                f"{self._place} is given by a path, and this suite reads no released files",
                "give the set as `frozen`, `private` or {count: N}",
            )
        return cast("ReleasedTasksRoom", room)
