"""Sessions of programs: a program opens a task, calls its tools one after another, and scores the episode.

Example:
    >>> import assay
    >>> with assay.open_task("petri", "core-v0/0") as session:
    ...     result = session.call("submit", {"parameter": "alignment", "direction": "up"})
    ...     result.ended, session.score().score
    ('done', 30.0)

Every interface for external programs (Python, MCP, Inspect) uses such a session. A session uses the same
harness as solvers and models, so the same calls give the same log.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias

from assay import canonical
from assay.config.base import NAME
from assay.config.loading import DEFAULT, load, suite_of
from assay.config.models import SuiteConfig
from assay.config.sets import find_recipe
from assay.episode import Episode
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import EpisodeOver, open_episode
from assay.errors import RecordingError, UnknownName
from assay.protocol import BlobRef, Brief, Json, Materials, Result, Status, refused
from assay.sessions.assessment import Assessment, assess
from assay.sessions.pacing import Pace
from assay.sessions.recording import Identity, RecordingFile, end_line, event_line, header_line
from assay.sessions.taskfiles import find_task
from assay.suite import Suite
from assay.task import Task

LARGEST_CALL = 4 << 20
"""The largest number of characters of a call's arguments as JSON."""

MOST_CHARACTERS = 256 << 20
"""The largest number of characters of all arguments of a session.

If a program exceeds it, the episode ends with the status `budget`, so that no program can fill the disk.
"""

TOO_LARGE: Mapping[str, Any] = {"too_large": LARGEST_CALL}
"""The arguments that replace larger ones. No tool has an argument with this name, so the call is refused."""

LONGEST_NAME = 1_000
OPENED = ".cache/opened"
"""Folder of the counts of openings by task, beside the folder of recordings."""

"""The number of characters after which the name of a tool is cut off."""

Write: TypeAlias = Callable[[Mapping[str, Any]], None]
"""A function that takes the lines of a recording one after another, without their chain."""


class TaskSession:
    """An open task, as a context manager that closes the world at the end of the `with` block.

    Args:
        suite: The suite of the task.
        task: The task.
        materials: Contents by hash and artefacts by key.
        identity: The identity of the session.
        model: Facts about the model that plays, for the header of the recording.
        write: Called with each line of the session's recording.
        opened: How often the task was opened before, for the header of the recording; `None` if unknown.
        pace: Whether results are passed on after fixed times, if the world has any (`assay.sessions.pacing`).

    Attributes:
        suite: The suite of the task.
        brief: Everything that an agent receives before its first call.
    """

    def __init__(
        self,
        suite: Suite,
        task: Task,
        materials: Materials,
        identity: Identity,
        *,
        model: Mapping[str, Any] | None = None,
        write: Write | None = None,
        opened: int | None = None,
        pace: bool = True,
    ) -> None:
        self._task = task
        self._pace = Pace.of(suite, task) if pace else Pace({})
        self.suite = suite
        self._materials = materials
        self._write = write or (lambda line: None)
        self._ended = False
        self._characters = 0
        self._stack = ExitStack()
        self._episode = self._stack.enter_context(
            open_episode(
                suite,
                task,
                identity.agent,
                identity.attempt,
                materials,
                log=lambda event: self._write(event_line(event)),
            )
        )
        self.brief: Brief = self._episode.harness.brief
        try:
            header = header_line(identity, task, self.brief, scaffold_sha256=None, model=model, opened=opened)
            self._write(header)
        except BaseException:
            self.close()
            raise

    @property
    def late(self) -> int:
        """The number of results that this machine was too slow to pass on at their fixed time."""
        return self._pace.late

    @property
    def over(self) -> bool:
        """Whether the episode has ended, so that further calls are refused."""
        return self._episode.harness.status is not None

    @property
    def task(self) -> Task:
        """The task; its hidden half is `None` as long as the episode is not over."""
        return self._task if self.over else replace(self._task, hidden=None)

    def truth(self) -> Any:
        """Return the hidden half of the task, once the episode is over.

        Raises:
            RecordingError: If the episode is not over.
        """
        if not self.over:
            raise RecordingError(
                "the truth of a task is told when its episode is over",
                "end the episode first: call the tool that ends it, `stop` or `finish`",
            )
        return self._task.hidden

    def call(self, tool: str, arguments: Json = None) -> Result:
        """Call a tool.

        Args:
            tool: The name of a tool of the brief whose audience is `agent`.
            arguments: A JSON object; `None` stands for no arguments.

        Returns:
            The result. For a refused call `ok` is false and `error` says why. If the episode is over, `ended`
            is its status.
        """
        try:
            return self._pace.call(self._episode.harness.call, tool[:LONGEST_NAME], self._bounded(arguments))
        except EpisodeOver:
            harness = self._episode.harness
            why = f": {harness.reason}" if harness.reason else ""
            return replace(refused(f"the episode is over{why}"), ended=harness.status)

    def _bounded(self, arguments: Json) -> Any:
        """Return the arguments, or a replacement if they are too large."""
        if arguments is None:
            return {}
        try:
            size = len(canonical.dumps(arguments))
        except (TypeError, ValueError, RecursionError):
            return arguments  # it is not JSON, so the harness refuses it
        self._characters += min(size, LARGEST_CALL)
        if self._characters > MOST_CHARACTERS:
            self.stop("budget", f"more than {MOST_CHARACTERS} characters of arguments")
        return dict(TOO_LARGE) if size > LARGEST_CALL else arguments

    def read(self, content: BlobRef) -> bytes:
        """Return the bytes of a picture or file in a brief or a result."""
        return self._materials.blobs.get(content.sha256)

    def stop(self, status: Status, reason: str) -> None:
        """End the episode for a reason on the agent's side, such as `budget`.

        This has no effect if the episode is over.
        """
        self._episode.stop(status, reason)

    def finish(self, tokens_in: int | None = None, tokens_out: int | None = None) -> Episode:
        """End the episode, if it is not over yet, and return it.

        Args:
            tokens_in: The tokens that a model has read, if known.
            tokens_out: The tokens that a model has written, if known.
        """
        episode = self._episode.finish()
        episode = replace(episode, tokens_in=tokens_in, tokens_out=tokens_out, source="recording")
        if not self._ended:
            self._ended = True
            self._write(end_line(episode, tokens_in, tokens_out))
        return episode

    def score(self) -> Assessment:
        """End the episode, if it is not over yet, and return its metrics and flags."""
        return assess(self.suite, self._task, self.finish(), self._materials)

    def close(self) -> None:
        """Close the world and release its resources."""
        self._stack.close()

    def __enter__(self) -> TaskSession:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:  # after an exception the recording stays unfinished
                self.finish()
        finally:
            self.close()


def open_task(
    suite: str,
    task: str,
    *,
    seed: int | None = None,
    agent: str = "program",
    attempt: int = 0,
    record: bool = False,
    model: Mapping[str, Any] | None = None,
    config: str | Path = DEFAULT,
    root: str | Path | None = None,
    pace: bool = True,
) -> TaskSession:
    """Open a task for a program that makes its own calls.

    Args:
        suite: The name of the suite.
        task: The task, as set/index, as set/task id, or as the path of its file.
        seed: If given, a new task is generated from this seed; `task` is then set/index, and names the
            recipe.
        agent: The name under which the session is recorded.
        attempt: The number of the attempt, from 0.
        record: Whether to write a recording into the project's folder of recordings.
        model: Facts about the model that plays, for the header of the recording.
        config: The path of the project's configuration.
        root: The folder of the project, to which `config` and the paths in it are relative; by default the
            working folder, or the project that the installed package brings along.
        pace: Whether results are passed on after fixed times, if the world has any. A program that measures
            its own agent may switch that off; sessions that count must not.

    Raises:
        UnknownName: If there is no such suite or task, or the agent's name is not allowed.
        RecordingError: If this session is recorded already.
    """
    loaded = load(Path(config), root=None if root is None else Path(root))
    settings = suite_of(loaded, suite, Path(config))
    blobs = MemoryBlobs()
    opened = find_task(settings, task, blobs) if seed is None else _made(settings, task, seed, blobs)
    identity = identity_of(opened, agent, attempt)
    materials = materials_for(settings.suite, blobs)
    before = _count_opening(loaded.project.recordings.parent / OPENED / opened.digest)
    if not record:
        return TaskSession(settings.suite, opened, materials, identity, model=model, pace=pace)
    file = _new_file(identity.path(loaded.project.recordings))
    try:
        session = TaskSession(
            settings.suite,
            opened,
            materials,
            identity,
            model=model,
            write=file.append,
            opened=before,
            pace=pace,
        )
    except BaseException:
        file.close()
        raise
    session._stack.callback(file.close)
    return session


def identity_of(task: Task, agent: str, attempt: int) -> Identity:
    """Return the identity of a session in which an agent plays a task.

    Raises:
        UnknownName: If the agent's name is not allowed.
    """
    if not re.fullmatch(NAME, agent):
        raise UnknownName(
            f"{agent!r} cannot be the name of an agent",
            "use small letters, digits, dots, dashes, underscores",
        )
    return Identity(agent, task.suite, task.task_set, task.task_id, attempt)


def _made(config: SuiteConfig, name: str, seed: int, blobs: MemoryBlobs) -> Task:
    """Generate a task by the recipe of a set, from another seed."""
    task_set, _, index = name.rpartition("/")
    if not index.isdecimal():
        raise UnknownName(f"{name!r} names no new task", "with a seed, name it as set/index")
    recipe = find_recipe(config.suite, task_set, seed)
    return config.suite.room("tasks").generate(recipe, task_set, int(index), seed, blobs)


def _count_opening(path: Path) -> int | None:
    """Count that a task is opened, and return how often it was opened before; `None` if that is unknown.

    Whoever has seen a world may know its course, so the count is part of a recording. It holds for one
    checkout, and for programs that leave the file alone: it documents, and does not protect.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            before = file.tell()
            file.write(b".")
    except OSError:
        return None
    return before


def _new_file(path: Path) -> RecordingFile:
    file = RecordingFile(path)
    if path.stat().st_size:
        file.close()
        raise RecordingError(
            f"{path} holds a session already", "choose another attempt, or move the file aside"
        )
    return file
