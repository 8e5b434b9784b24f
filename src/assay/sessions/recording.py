"""The file of one recorded session: JSON lines that form a hash chain.

The first line is the header. Then come turns (replies of a model) and events (what the harness logged), in
the order in which they happened, and finally the end. Every line has a field `chain`: the sha256 of the
previous line's `chain` and its own canonical text. So the chain shows whether a line was changed, dropped or
added. A forger can compute a new chain, which is why `assay.sessions.replay` executes the calls again. The
file contains no times and no host names; these are in `results/provenance/recordings/`.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from assay import canonical
from assay.episode import MOST_TOKENS, Episode, Event, encode_parts
from assay.episodes.identity import FILE_NAME
from assay.episodes.identity import Identity as Identity
from assay.errors import RecordingError, WriteError
from assay.protocol import Brief, Json
from assay.task import Task

VERSION = 1
"""The version of the file format."""

PASSING = frozenset({"transport", "crashed"})
"""Statuses that say nothing about the agent. `assay record` continues such a session where it broke off."""

_FIELDS: Mapping[str, Mapping[str, tuple[type, ...]]] = {
    "recording": {
        "version": (int,),
        "agent": (str,),
        "suite": (str,),
        "task_set": (str,),
        "task_id": (str,),
        "task_sha256": (str,),
        "attempt": (int,),
        "scaffold_sha256": (str, type(None)),
        "brief_sha256": (str,),
        "model": (dict, type(None)),
    },
    "turn": {
        "n": (int,),
        "request_sha256": (str,),
        "reply": (dict,),
        "usage": (dict,),
        "calls": (list,),
    },
    "event": {"event": (dict,)},
    "end": {
        "status": (str,),
        "reason": (str,),
        "submission": (object,),
        "counters": (dict,),
        "n_events": (int,),
        "tokens_in": (int, type(None)),
        "tokens_out": (int, type(None)),
    },
}

_EVENT_FIELDS: Mapping[str, tuple[type, ...]] = {
    "step": (int,),
    "parent": (int, type(None)),
    "kind": (str,),
    "tool": (str,),
    "arguments": (object,),
    "parts": (list,),
    "ok": (bool,),
    "error": (str, type(None)),
    "charged": (int,),
    "ended": (str, type(None)),
    "fresh": (bool,),
}

_USAGE_FIELDS: Mapping[str, tuple[type, ...]] = {"tokens_in": (int,), "tokens_out": (int,)}


class Difference(Exception):
    """A recording is damaged, or differs from what happens when it is executed again.

    Attributes:
        place: The line or step where it differs.
        problem: What is wrong there.
    """

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{place}: {problem}")
        self.place = place
        self.problem = problem


@dataclass(frozen=True)
class Recording:
    """The content of a file whose chain is intact. Lines do not include the field `chain`.

    Attributes:
        header: The first line; `None` for an empty file.
        lines: The turns and events, in order.
        end: The last line; `None` for a session that is not finished.
        torn: Whether a crash had cut off the last line, which is then left out.
    """

    header: Mapping[str, Any] | None
    lines: tuple[Mapping[str, Any], ...]
    end: Mapping[str, Any] | None
    torn: bool = False

    @property
    def turns(self) -> tuple[Mapping[str, Any], ...]:
        """The lines with replies of the model, in order."""
        return tuple(line for line in self.lines if line["kind"] == "turn")

    @property
    def identity(self) -> Identity | None:
        """The identity that the header gives."""
        if self.header is None:
            return None
        return Identity(*(self.header[k] for k in ("agent", "suite", "task_set", "task_id", "attempt")))


def parse(data: bytes) -> Recording:
    """Parse the content of a recording.

    A last line without newline was cut off by a crash; it is left out, and the session is not finished.

    Raises:
        Difference: At the first line that is damaged or out of place.
    """
    *complete, rest = data.split(b"\n")
    lines: list[dict[str, Any]] = []
    chain, turns = "", 0
    for number, raw in enumerate(complete):
        line, chain = _check_line(raw, chain, number)
        place = place_of(line)
        if (line["kind"] == "recording") != (number == 0):
            raise Difference(place, "the header must be the first line, and only that")
        if lines and lines[-1]["kind"] == "end":
            raise Difference(place, "a line after the end")
        if line["kind"] == "turn":
            if line["n"] != turns:
                raise Difference(place, f"turn {turns} is missing")
            turns += 1
        lines.append(line)
    end = lines.pop() if lines and lines[-1]["kind"] == "end" else None
    header = lines.pop(0) if lines else None
    return Recording(header, tuple(lines), end, torn=bool(rest))


def read(path: Path) -> Recording:
    """Read a recording from its file.

    Raises:
        RecordingError: If the file is damaged or cannot be read.
    """
    try:
        return parse(path.read_bytes())
    except Difference as problem:
        raise damaged(path, problem) from problem
    except OSError as problem:
        raise RecordingError(f"{path} cannot be read ({problem.strerror})", "restore the file") from problem


def damaged(path: Path, problem: Difference) -> RecordingError:
    """Return the error for a file that differs from what was recorded."""
    return RecordingError(
        f"{path}: {problem}",
        "restore the file from git or a backup; a recording that was edited has no value as evidence",
    )


def settled(lines: tuple[Mapping[str, Any], ...]) -> tuple[Mapping[str, Any], ...]:
    """Return the lines up to the last turn or complete call, without what a crash left behind after it.

    The line of a call comes after the lines of its nested calls, and completes it.
    """
    ends = [
        number
        for number, line in enumerate(lines)
        if line["kind"] == "turn" or line["event"]["kind"] == "call"
    ]
    return lines[: ends[-1] + 1] if ends else ()


def place_of(line: Mapping[str, Any]) -> str:
    """Return the place of a line for messages: the step of an event, the number of a turn, header, or end."""
    if line["kind"] == "event":
        event = line.get("event")
        return f"step {event.get('step') if isinstance(event, dict) else None}"
    if line["kind"] == "turn":
        return f"turn {line.get('n')}"
    return "header" if line["kind"] == "recording" else "end"


def header_line(
    identity: Identity,
    task: Task,
    brief: Brief,
    *,
    scaffold_sha256: str | None,
    model: Mapping[str, Any] | None,
    opened: int | None = None,
) -> dict[str, Any]:
    """Return the first line of a recording, with the versions of task, brief and scaffold.

    Args:
        identity: The identity of the session.
        task: The task.
        brief: The brief of its world.
        scaffold_sha256: The hash that identifies the version of this package's loop around a model; `None` if
            another program plays.
        model: The facts about the model (`Player.facts`); `None` if they are not known.
        opened: How often the task was opened before this session; `None` if it was not counted.
    """
    return {
        **({} if opened is None else {"opened": opened}),
        "kind": "recording",
        "version": VERSION,
        "agent": identity.agent,
        "suite": identity.suite,
        "task_set": identity.task_set,
        "task_id": identity.task_id,
        "task_sha256": task.digest,
        "attempt": identity.attempt,
        "scaffold_sha256": scaffold_sha256,
        "brief_sha256": brief_sha256(brief),
        "model": None if model is None else dict(model),
    }


def turn_line(
    n: int, request_sha256: str, reply: Json, tokens_in: int, tokens_out: int, calls: Iterable[str]
) -> dict[str, Any]:
    """Return the line of a model's reply.

    Args:
        n: The number of the turn, from 0.
        request_sha256: The hash of the request.
        reply: The reply as JSON.
        tokens_in: The tokens that the model read.
        tokens_out: The tokens that it wrote.
        calls: The hashes (`call_sha256`) of the calls in the reply.
    """
    return {
        "kind": "turn",
        "n": n,
        "request_sha256": request_sha256,
        "reply": reply,
        "usage": {"tokens_in": tokens_in, "tokens_out": tokens_out},
        "calls": list(calls),
    }


def end_line(episode: Episode, tokens_in: int | None, tokens_out: int | None) -> dict[str, Any]:
    """Return the last line, which says how the episode ended; tokens are `None` if there was no turn."""
    return {
        "kind": "end",
        "status": episode.status,
        "reason": episode.reason,
        "submission": episode.submission,
        "counters": dict(episode.counters),
        "n_events": len(episode.events),
        "tokens_in": tokens_in,
        "tokens_out": tokens_out,
    }


def event_line(event: Event) -> dict[str, Any]:
    """Return the line of an event."""
    return {"kind": "event", "event": event.to_json()}


def brief_sha256(brief: Brief) -> str:
    """Return the sha256 (hex) of everything that an agent receives before its first call."""
    return canonical.digest(
        {
            "system": brief.system,
            "parts": encode_parts(brief.parts),
            "tools": [
                {
                    "name": tool.name,
                    "schema": dict(tool.schema),
                    "doc": tool.doc,
                    "door": tool.audience,
                    "counter": tool.counter,
                    "replay": tool.replay,
                }
                for tool in brief.tools
            ],
            "limits": dict(brief.limits),
            "reply": brief.reply,
        }
    )


def call_sha256(tool: str, arguments: Json) -> str:
    """Return the sha256 (hex) of a call, with which a turn names the calls in its reply."""
    return canonical.digest([tool, arguments])


def find(root: Path, agent: str) -> Iterator[tuple[Identity, Path]]:
    """Yield the recordings of an agent (`*` for all agents) in a folder of recordings, in order of path."""
    for path in sorted(root.glob(f"{agent}/*/*/*.jsonl")):
        if FILE_NAME.fullmatch(path.name):
            yield Identity.of(path), path


class RecordingFile:
    """A recording that is being written, and locked against other processes.

    Args:
        path: The file, which is created if it does not exist.

    Raises:
        RecordingError: If another process has locked the file.
        WriteError: If the file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._chain = ""
        self._fd = _open_locked(path)

    def load(self) -> tuple[Recording, int]:
        """Remove what an interruption has left at the end of the file, and return the rest.

        An incomplete line, the lines of an incomplete call, and an end with a status of `PASSING` are
        removed, because the session makes them again. A reply that was received is never removed.

        Returns:
            The recording, and the number of bytes that were removed.

        Raises:
            RecordingError: If the file is damaged.
        """
        data = self._read()
        try:
            recording = parse(data)
        except Difference as problem:
            raise damaged(self.path, problem) from problem
        kept, end = recording.lines, recording.end
        if end is not None and end["status"] in PASSING:
            if end["status"] == "crashed":
                kept = _without_crash(kept)
            end = None
        if end is None:
            kept = settled(kept)
        count = (recording.header is not None) + len(kept) + (end is not None)
        raw = data.split(b"\n")[:count]
        size = sum(len(line) + 1 for line in raw)
        if size < len(data):
            os.ftruncate(self._fd, size)
            os.fsync(self._fd)
        self._chain = canonical.loads(raw[-1])["chain"] if raw else ""
        return Recording(recording.header, kept, end), len(data) - size

    def append(self, line: Mapping[str, Any]) -> None:
        """Write one line to the disk.

        Raises:
            WriteError: If the line cannot be written; the file is then unchanged.
        """
        text, self._chain = _bound(line, self._chain)
        data = text.encode() + b"\n"
        size = os.fstat(self._fd).st_size
        try:
            if os.write(self._fd, data) != len(data):
                raise OSError(0, "the disk is full")
            os.fsync(self._fd)
        except OSError as problem:
            os.ftruncate(self._fd, size)
            raise WriteError(f"{self.path} cannot be written ({problem.strerror})", _MAKE_ROOM) from problem

    def close(self) -> None:
        """Release the file, and remove it if it is empty."""
        if os.fstat(self._fd).st_size == 0:
            self.path.unlink(missing_ok=True)
        os.close(self._fd)

    def _read(self) -> bytes:
        size = os.fstat(self._fd).st_size
        data = b""
        while len(data) < size:
            data += os.pread(self._fd, size - len(data), len(data))
        return data

    def __enter__(self) -> RecordingFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


_MAKE_ROOM = "make room on the disk or correct the folder's permissions, then run `assay record` again"


def _open_locked(path: Path) -> int:
    """Open a file for appending, lock it, and return its descriptor."""
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as problem:
            raise WriteError(f"{path} cannot be written ({problem.strerror})", _MAKE_ROOM) from problem
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as problem:
            os.close(fd)
            raise RecordingError(
                f"{path} is being recorded by another process",
                "wait until it is done; two `assay record` may run at once for different agents or sets",
            ) from problem
        if path.exists() and os.path.samestat(path.stat(), os.fstat(fd)):
            if os.fstat(fd).st_size == 0:
                _fsync_folder(path.parent)
            return fd
        os.close(fd)  # another process has removed the empty file between opening and locking


def _fsync_folder(folder: Path) -> None:
    """Make a new file in a folder survive a power failure."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _bound(line: Mapping[str, Any], before: str) -> tuple[str, str]:
    """Return the canonical text of a line with its chain, and the chain."""
    chain = hashlib.sha256((before + canonical.dumps(line)).encode()).hexdigest()
    return canonical.dumps({**line, "chain": chain}), chain


def _check_line(raw: bytes, before: str, number: int) -> tuple[dict[str, Any], str]:
    """Return a line without its chain, and the chain; raise `Difference` if the line is damaged."""
    place = f"line {number + 1}"
    try:
        line = canonical.loads(raw)
    except (ValueError, RecursionError):
        raise Difference(place, "not JSON") from None
    # The keys are a tuple, because a kind that is a list could not be looked up in a dict.
    if not isinstance(line, dict) or line.get("kind") not in tuple(_FIELDS):
        raise Difference(place, "not a line of a recording")
    recorded_chain = line.pop("chain", None)
    place = place_of(line)
    try:
        text, chain = _bound(line, before)
    except (ValueError, UnicodeEncodeError):  # an infinite number, a lone surrogate
        raise Difference(place, "not JSON") from None
    if recorded_chain != chain:
        raise Difference(place, "the chain of hashes is broken")
    if raw != text.encode():
        raise Difference(place, "not canonical JSON")
    fields = _FIELDS[line["kind"]]
    if line["kind"] == "recording" and "opened" in line:  # older recordings lack it
        fields = {**fields, "opened": (int,)}
    _check_fields({k: v for k, v in line.items() if k != "kind"}, fields, place)
    if line["kind"] == "event":
        _check_fields(line["event"], _EVENT_FIELDS, place)
    if line["kind"] == "turn":
        _check_fields(line["usage"], _USAGE_FIELDS, place)
        if not all(0 <= count <= MOST_TOKENS for count in line["usage"].values()):
            raise Difference(place, "nobody uses that many tokens")
    if line["kind"] == "recording" and line["version"] != VERSION:
        raise Difference(place, f"the format has version {line['version']}, not {VERSION}")
    return line, chain


def _check_fields(value: Mapping[str, Any], fields: Mapping[str, tuple[type, ...]], place: str) -> None:
    for name in sorted(fields.keys() ^ value.keys()):
        raise Difference(place, f"{name} is {'missing' if name in fields else 'no field here'}")
    for name, types in fields.items():
        if not isinstance(value[name], types) or (isinstance(value[name], bool) and int in types):
            raise Difference(place, f"{name} has the wrong type")


def _without_crash(lines: tuple[Mapping[str, Any], ...]) -> tuple[Mapping[str, Any], ...]:
    """Return the lines up to the last turn, so that the call in which the world crashed is made again."""
    for number in range(len(lines) - 1, -1, -1):
        if lines[number]["kind"] == "turn":
            return lines[: number + 1]
    return ()
