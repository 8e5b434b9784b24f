"""Archived task sets: their committed files are the input, and no generator has to reproduce them.

The folder of an archived set holds the files of its tasks, the contents that these tasks show (in `blobs/`,
each named by its sha256), and `SHA256SUMS`, a list of all these files in the format of the program
`sha256sum`. A frozen set is archived while its generator still reproduces it; afterwards the generator may
change.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import AssayError, TaskError
from assay.protocol import Blobs
from assay.task import Task, file_name, read_frozen
from assay.writing import write_whole

if TYPE_CHECKING:
    from assay.rooms import TasksRoom

SUMS = "SHA256SUMS"
CONTENTS = "blobs"

LINE = re.compile(r"([0-9a-f]{64})  ((?:blobs/)?[0-9a-z.]+)")


@dataclass(frozen=True)
class Archive:
    """The files of an archived set.

    Args:
        folder: The folder that holds them, e.g. `tasks/petri/core-v0`.
        suite: The name of the suite that the tasks belong to.
    """

    folder: Path
    suite: str

    @property
    def task_set(self) -> str:
        """The name of the set, which is the name of its folder."""
        return self.folder.name

    @cached_property
    def sums(self) -> dict[str, str]:
        """The sha256 (hex) of each file by its name, as listed in `SHA256SUMS`.

        Raises:
            TaskError: If the list is missing, or one of its lines is not in the format of `sha256sum`.
        """
        path = self.folder / SUMS
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            raise TaskError(
                f"{path} is missing, the list of the files of an archived set",
                f"restore it from git; for a set archived just now: assay tasks {self.suite} {self.task_set}",
            ) from None
        except (OSError, UnicodeDecodeError) as problem:
            raise TaskError(f"{path} cannot be read ({problem})", self._remedy(path)) from problem
        sums: dict[str, str] = {}
        for number, line in enumerate(lines, 1):
            match = LINE.fullmatch(line)
            if match is None or match[2] in sums:
                raise TaskError(
                    f"{path}, line {number}: not the sha256 and the name of one more file ({line[:100]!r})",
                    self._remedy(path),
                )
            sums[match[2]] = match[1]
        names = [name for name in sums if not name.startswith(CONTENTS)]
        if not names or names != [file_name(index) for index in range(len(names))]:
            raise TaskError(
                f"{path} does not list 00000.json, 00001.json and so on without a gap", self._remedy(path)
            )
        return sums

    @property
    def size(self) -> int:
        """The number of tasks in the set."""
        return sum(not name.startswith(CONTENTS) for name in self.sums)

    @property
    def contents(self) -> list[str]:
        """The names of the files with contents, as paths below the folder."""
        return [name for name in self.sums if name.startswith(CONTENTS)]

    def task(self, index: int, blobs: Blobs) -> Task:
        """Read one task and put the contents that it shows into `blobs`.

        Raises:
            TaskError: If a file is missing or damaged, or the task belongs to another set. The message names
                the file and, if it is known, the line.
        """
        path = self.folder / file_name(index)
        data = self._bytes(file_name(index))
        # The task is parsed before its hash is compared: the parser's error names the line of a syntax error.
        task = read_frozen(path)
        self._compare(path, data)
        if (task.suite, task.task_set) != (self.suite, self.task_set):
            raise TaskError(
                f"{path} holds a task of {task.suite}/{task.task_set}, not of {self.suite}/{self.task_set}",
                self._remedy(path),
            )
        return self.with_contents(task, blobs)

    def with_contents(self, task: Task, blobs: Blobs) -> Task:
        """Put the contents that a task shows into `blobs`, and return the task.

        Raises:
            TaskError: If a content is missing or damaged, or its size differs from the one in the task.
        """
        for ref in task.blobs:
            name = f"{CONTENTS}/{ref.sha256}"
            data = self._bytes(name)
            self._compare(self.folder / name, data)
            if blobs.put(data, ref.media_type) != ref:
                raise TaskError(
                    f"{self.folder / name} is not what the task {task.task_id} names by this hash",
                    self._remedy(self.folder),
                )
        return task

    def check(self, room: TasksRoom, blobs: Blobs, first: int = 0, last: int | None = None) -> Iterator[Task]:
        """Yield the tasks from `first` up to, but not including, `last`, each verified by the present suite.

        Args:
            room: The suite's room `tasks`, whose `verify` decides whether the present world can play a task.
            blobs: The store into which the contents of the tasks are put.
            first: The index of the first task.
            last: The index after the last task; `None` stands for the size of the set.

        Raises:
            TaskError: If a task cannot be read (see `task`), or the suite's `verify` refuses it.
        """
        for index in range(first, self.size if last is None else last):
            task = self.task(index, blobs)
            verify(room, task, self.folder / file_name(index))
            yield task

    def _bytes(self, name: str) -> bytes:
        path = self.folder / name
        if name not in self.sums:
            raise TaskError(f"{self.folder / SUMS} does not list {name}", self._remedy(self.folder / SUMS))
        try:
            return path.read_bytes()
        except OSError as problem:
            reason = "is missing" if isinstance(problem, FileNotFoundError) else f"({problem.strerror})"
            raise TaskError(
                f"{path} {reason}: {SUMS} lists it as a file of an archived set", self._remedy(path)
            ) from problem

    def _compare(self, path: Path, data: bytes) -> None:
        listed = self.sums[str(path.relative_to(self.folder))]
        digest = hashlib.sha256(data).hexdigest()
        if digest != listed:
            raise TaskError(
                f"{path} was changed: its sha256 begins with {digest[:12]}, {SUMS} lists {listed[:12]}",
                self._remedy(path),
            )

    def _remedy(self, path: Path) -> str:
        return f"an archived set is never edited, only succeeded: git checkout -- {path}"


def verify(room: TasksRoom, task: Task, path: Path) -> None:
    """Verify one task of an archived set against the present world.

    Raises:
        TaskError: If the suite's `verify` refuses the task or cannot read it. The message names the file.
    """
    remedy = (
        "let `verify` and the world of the suite read tasks of this `version` as before; "
        f"where the file was edited: git checkout -- {path}"
    )
    try:
        room.verify(task)
    except AssayError as problem:
        raise TaskError(
            f"{path} does not pass `verify` of the present suite: {problem.message}", remedy
        ) from problem
    # A changed suite may fail on an old task with any exception. Only its type is shown, because its message
    # may contain the truth of the task.
    except Exception as problem:
        reason = f"{path} cannot be read by `verify` of the present suite ({type(problem).__name__})"
        raise TaskError(reason, remedy) from problem


def write(folder: Path, tasks: int, contents: dict[str, bytes]) -> None:
    """Write the contents of an archived set and `SHA256SUMS`; the files of its tasks are left unchanged."""
    for sha256, data in contents.items():
        write_whole(folder / CONTENTS / sha256, data)
    names = [file_name(index) for index in range(tasks)] + [
        f"{CONTENTS}/{sha256}" for sha256 in sorted(contents)
    ]
    sums = [f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    write_whole(folder / SUMS, "".join(sums))
