"""The files that exist before a build: task sets, and recordings of episodes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from assay.build import links
from assay.build.planning.shards import Shard, Span
from assay.config.archive import SUMS, Archive
from assay.config.models import Config, Generated, Released
from assay.config.released import ReleasedSet
from assay.episodes.blobs import MemoryBlobs
from assay.errors import ConfigError
from assay.parts import BlobRef
from assay.task import file_name, read_frozen

PICTURE = b'"media_type": "image/'
"""Bytes that the file of a frozen task contains if the task shows a picture."""


class TaskSets:
    """The task sets of a configuration and their recordings; each folder is read once."""

    def __init__(self, config: Config, root: Path) -> None:
        self.config = config
        self.root = root

    def is_generated(self, suite: str, task_set: str) -> bool:
        """Whether a set has no frozen files and is generated during the build."""
        return isinstance(self.config.suites[suite].file.sets[task_set], Generated)

    @cache  # noqa: B019  (one plan lives as long as its process)
    def released(self, suite: str, task_set: str) -> ReleasedSet | None:
        """Return the released set of a name: its folder and the suite that reads it.

        Returns:
            The set, or `None` if the name is that of a set which is not read from a folder.
        """
        config = self.config.suites[suite]
        entry = config.file.sets[task_set]
        if not isinstance(entry, Released):
            return None
        return ReleasedSet(config.suite, task_set, self.root / entry.path)

    def is_public(self, suite: str, task_set: str) -> bool:
        """Whether a set is one of those that every checkout has: neither private nor read from a path."""
        entry = self.config.suites[suite].file.sets[task_set]
        return entry != "private" and not isinstance(entry, Released)

    @cache  # noqa: B019
    def size(self, suite: str, task_set: str) -> int:
        """Return the number of tasks in a set.

        Raises:
            ConfigError: If the folder of the set lacks a file, or holds other JSON files.
        """
        entry = self.config.suites[suite].file.sets[task_set]
        if isinstance(entry, Generated):
            return entry.count
        if isinstance(entry, Released):
            return len(self._tasks(suite, task_set))
        folder = self.root / self._folder(suite, task_set)
        names = {f.name for f in os.scandir(folder)} if folder.is_dir() else set()
        files = sorted(name for name in names if name.endswith(".json"))
        archived = SUMS in names
        # Only the list of an archived set shows that the last file is missing.
        expected = [file_name(i) for i in range(Archive(folder, suite).size if archived else len(files))]
        if not files or files != expected:
            missing = next((name for name in expected if name not in names), file_name(0))
            others = [name for name in files if name not in expected]
            if entry == "private":
                remedy = f"write them: ASSAY_SECRET_FILE=FILE assay tasks {suite} {task_set}"
            elif archived:
                remedy = f"restore them from git: git checkout -- {self._folder(suite, task_set)}"
            else:
                remedy = "restore the folder from git, or give the set as {count: N} to have it generated"
            raise ConfigError(
                f"{self._folder(suite, task_set)}: {'an archived' if archived else f'a {entry}'} set holds "
                f"00000.json, 00001.json and so on without a gap; {missing} is missing, "
                f"found {', '.join(others[:5]) or 'no others'}",
                remedy,
            )
        return len(files)

    def sizes(self, suite: str, sets: Iterable[str]) -> dict[str, int]:
        """Return the number of tasks in each of these sets."""
        return {task_set: self.size(suite, task_set) for task_set in sets}

    def whole(self, suite: str, sets: Iterable[str]) -> tuple[Span, ...]:
        return tuple(Span(task_set, 0, size) for task_set, size in self.sizes(suite, sets).items())

    def files(self, suite: str, shard: Shard) -> list[str]:
        """Return the files of the tasks of a shard; generated sets have none.

        For an archived set, these include the list of its files and the contents that its tasks show.
        """
        files: list[str] = []
        for span in shard.spans:
            if self.is_generated(suite, span.task_set):
                continue
            if (released := self.released(suite, span.task_set)) is not None:
                files += map(str, released.files)
                continue
            folder = self._folder(suite, span.task_set)
            files += [str(folder / file_name(index)) for index in range(span.first, span.last)]
            if (self.root / folder / SUMS).is_file():
                contents = Archive(self.root / folder, suite).contents
                files += [str(folder / name) for name in (SUMS, *contents)]
        return files

    def tasks(self, suite: str, shard: Shard) -> list[Any]:
        """Return the tasks of a shard that are read from files."""
        return [
            task
            for span in shard.spans
            if not self.is_generated(suite, span.task_set)
            for task in self._tasks(suite, span.task_set)[span.first : span.last]
        ]

    @cache  # noqa: B019
    def pictures(self, suite: str) -> list[str]:
        """Return the paths, within the site, of the pictures that tasks show; only of sets with files."""
        names = set()
        for task_set in sorted(self.config.suites[suite].file.sets):
            if self.is_generated(suite, task_set):
                continue  # its pictures are known only once its tasks are generated, which is after planning
            if self.released(suite, task_set) is not None:
                refs = [ref for task in self._tasks(suite, task_set) for ref in task.blobs]
                names |= _links(suite, refs)
                continue
            for index in range(self.size(suite, task_set)):
                path = self.root / self._folder(suite, task_set) / file_name(index)
                if PICTURE in path.read_bytes():
                    names |= _links(suite, read_frozen(path).blobs)
        return sorted(names)

    def recordings(self, suite: str, agent: str, spans: Iterable[Span]) -> list[str]:
        """Return the paths of an agent's recordings of these tasks, in order of task and attempt."""
        return [
            path
            for span in spans
            for index, paths in self._recordings(suite, agent, span.task_set).items()
            if span.first <= index < span.last
            for path in paths
        ]

    @cache  # noqa: B019
    def _recordings(self, suite: str, agent: str, task_set: str) -> dict[int, list[str]]:
        """Return the paths of recordings by the index of their task, each list in order of attempt."""
        folder = self.config.project.recordings / agent / suite / task_set
        if not (self.root / folder).is_dir():
            return {}
        names = {f.name for f in os.scandir(self.root / folder) if f.name.endswith(".jsonl")}
        attempts = self.config.agents[agent].attempts
        recordings = {}
        for index, task in enumerate(self._tasks(suite, task_set)):
            expected = [f"{task.task_id}.{attempt}.jsonl" for attempt in range(attempts)]
            if present := [str(folder / name) for name in expected if name in names]:
                recordings[index] = present
        return recordings

    def _folder(self, suite: str, task_set: str) -> Path:
        """Return the folder of a frozen or private set, relative to the checkout."""
        config = self.config.suites[suite]
        private = config.file.sets[task_set] == "private"
        return (Path("private") if private else config.entry.tasks) / suite / task_set

    @cache  # noqa: B019
    def _tasks(self, suite: str, task_set: str) -> list[Any]:
        if (released := self.released(suite, task_set)) is not None:
            return released.tasks(MemoryBlobs())
        folder = self.root / self._folder(suite, task_set)
        return [read_frozen(folder / file_name(i)) for i in range(self.size(suite, task_set))]


def _links(suite: str, refs: Iterable[BlobRef]) -> set[str]:
    """Return the paths, within the site, of those of these contents that are pictures."""
    return {
        links.picture(suite, ref.sha256, ref.media_type) for ref in refs if ref.media_type in links.PICTURES
    }
