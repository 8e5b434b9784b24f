"""One task played from outside: open it, call its tools one after the other, score what became of it.

    with assay.open_task("petri", "core-v0/0") as session:
        result = session.call("submit", {"parameter": "alignment", "direction": "up"})
        report = session.score()

Every door that is not an agent of ours (a Python program, a client of MCP, a task of Inspect) is such a
session. The harness behind it is the one in which solvers and models play: the same calls give the same log.
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
from assay.config.loading import load, suite_of
from assay.config.models import SuiteConfig
from assay.config.sets import find_recipe
from assay.episode import Episode
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import EpisodeOver, open_episode
from assay.errors import RecordingError, UnknownName
from assay.protocol import BlobRef, Brief, Json, Materials, Result, Status, refused
from assay.sessions.assessment import Assessment, assess
from assay.sessions.recording import Identity, RecordingFile, end_line, event_line, header_line
from assay.sessions.taskfiles import find_task
from assay.suite import Suite
from assay.task import Task

LARGEST_CALL = 4 << 20
"""Characters of the arguments of a call, as JSON; the log holds `TOO_LARGE` in place of larger ones."""

MOST_SAID = 256 << 20
"""Characters of all arguments of a session; more of them end it as `budget`: nobody can fill the disk."""

TOO_LARGE: Mapping[str, Any] = {"too_large": LARGEST_CALL}
"""What stands for arguments that are too large. No tool has such an argument, so every one refuses it."""

LONGEST_NAME = 1_000
"""Characters of the name of a tool; a longer one is cut."""

Write: TypeAlias = Callable[[Mapping[str, Any]], None]
"""Takes the lines of a recording as they come into being, without their chain."""


class TaskSession:
    """An open task. A context manager: leaving it lets the world go.

    `brief` is all that an agent is told first. `write` gets each line of the session's recording.
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
    ) -> None:
        self.task = task
        self.suite = suite
        self._materials = materials
        self._write = write or (lambda line: None)
        self._ended = False
        self._said = 0
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
            self._write(header_line(identity, task, self.brief, scaffold_sha256=None, model=model))
        except BaseException:
            self.close()
            raise

    @property
    def over(self) -> bool:
        """Whether the episode has ended: further calls are refused."""
        return self._episode.harness.status is not None

    def call(self, tool: str, arguments: Json = None) -> Result:
        """Call a tool with these arguments (null: none). A refused call has `ok` false and says why.

        `ended` of the result is the status of an episode that is over with this call.
        """
        try:
            return self._episode.harness.call(tool[:LONGEST_NAME], self._bounded(arguments))
        except EpisodeOver:
            harness = self._episode.harness
            why = f": {harness.reason}" if harness.reason else ""
            return replace(refused(f"the episode is over{why}"), ended=harness.status)

    def _bounded(self, arguments: Json) -> Any:
        """The arguments, or what stands for them where they are too large."""
        if arguments is None:
            return {}
        try:
            size = len(canonical.dumps(arguments))
        except (TypeError, ValueError, RecursionError):
            return arguments  # no JSON: the harness refuses it
        self._said += min(size, LARGEST_CALL)
        if self._said > MOST_SAID:
            self.stop("budget", f"more than {MOST_SAID} characters of arguments")
        return dict(TOO_LARGE) if size > LARGEST_CALL else arguments

    def read(self, content: BlobRef) -> bytes:
        """The bytes of a picture or file that a brief or a result shows."""
        return self._materials.blobs.get(content.sha256)

    def stop(self, status: Status, reason: str) -> None:
        """End the episode from the agent's side, e.g. as `budget`; nothing happens where it is over."""
        self._episode.stop(status, reason)

    def finish(self, tokens_in: int | None = None, tokens_out: int | None = None) -> Episode:
        """The episode's log; it is over from now on. Tokens are those of the turns in the recording."""
        episode = self._episode.finish()
        episode = replace(episode, tokens_in=tokens_in, tokens_out=tokens_out, source="recording")
        if not self._ended:
            self._ended = True
            self._write(end_line(episode, tokens_in, tokens_out))
        return episode

    def score(self) -> Assessment:
        """Metrics and flags of the episode, which is over from now on."""
        return assess(self.suite, self.task, self.finish(), self._materials)

    def close(self) -> None:
        """Let the world go."""
        self._stack.close()

    def __enter__(self) -> TaskSession:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:  # a program that broke off has left a recording that is not finished
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
    config: str | Path = "config/config.yaml",
) -> TaskSession:
    """Open a task, named as set/index, set/task id or by the path of its file.

    With a `seed` it is a new task, made by the recipe of the set. With `record` the session is kept among the
    recordings as the agent's, with what is known of the `model`. Raises `UnknownName` where there is no such
    suite, task or name, and `RecordingError` where that session is recorded already.
    """
    loaded = load(Path(config))
    found = suite_of(loaded, suite, Path(config))
    blobs = MemoryBlobs()
    made = find_task(found, task, blobs) if seed is None else _made(found, task, seed, blobs)
    identity = identity_of(made, agent, attempt)
    materials = materials_for(found.suite, blobs)
    if not record:
        return TaskSession(found.suite, made, materials, identity, model=model)
    file = _new_file(identity.path(loaded.project.recordings))
    try:
        session = TaskSession(found.suite, made, materials, identity, model=model, write=file.append)
    except BaseException:
        file.close()
        raise
    session._stack.callback(file.close)
    return session


def identity_of(task: Task, agent: str, attempt: int) -> Identity:
    """Whose session at that task this is; `UnknownName` where no agent can have that name."""
    if not re.fullmatch(NAME, agent):
        raise UnknownName(
            f"{agent!r} cannot be the name of an agent",
            "use small letters, digits, dots, dashes, underscores",
        )
    return Identity(agent, task.suite, task.task_set, task.task_id, attempt)


def _made(config: SuiteConfig, name: str, seed: int, blobs: MemoryBlobs) -> Task:
    """A task by the recipe of a set, from another seed than the set's own."""
    task_set, _, index = name.rpartition("/")
    if not index.isdecimal():
        raise UnknownName(f"{name!r} names no new task", "with a seed, name it as set/index")
    recipe = find_recipe(config.suite, task_set)
    return config.suite.room("tasks").generate(recipe, task_set, int(index), seed, blobs)


def _new_file(path: Path) -> RecordingFile:
    file = RecordingFile(path)
    if path.stat().st_size:
        file.close()
        raise RecordingError(
            f"{path} holds a session already", "choose another attempt, or move the file aside"
        )
    return file
