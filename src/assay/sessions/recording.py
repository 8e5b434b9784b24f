"""The file of one recorded session: JSON lines, each bound to all before it by a hash.

The first line is the header, then come turns (a model's replies) and events (what the harness did) in the
order in which they happened, and at last the end. Every line holds `chain`, the sha256 of the chain of the
line before and its own canonical text, so that no line can be changed, dropped or added unnoticed. The
chain finds accidents and naive edits; a forger can compute it anew, which is why `assay.sessions.replay`
executes the calls again. Neither clocks nor host names are in these files: they stand in
`results/provenance/recordings/`.
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
"""Raised when the form of the file changes."""

PASSING = frozenset({"transport", "crashed"})
"""Ends that say nothing about the agent: `assay record` takes up such a session where it broke off."""


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
    """What a recording says at one place is not what it must be: `place` and `problem` name both."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{place}: {problem}")
        self.place = place
        self.problem = problem


@dataclass(frozen=True)
class Recording:
    """A parsed file whose chain holds. Lines are without `chain`.

    `lines` are turns and events; `end` is null while the session is not finished. `torn` says that the last
    line was cut while it was written, and is left out.
    """

    header: Mapping[str, Any] | None
    lines: tuple[Mapping[str, Any], ...]
    end: Mapping[str, Any] | None
    torn: bool = False

    @property
    def turns(self) -> tuple[Mapping[str, Any], ...]:
        """The lines of the model's replies, in order."""
        return tuple(line for line in self.lines if line["kind"] == "turn")

    @property
    def identity(self) -> Identity | None:
        """Whose session the header says it is."""
        if self.header is None:
            return None
        return Identity(*(self.header[k] for k in ("agent", "suite", "task_set", "task_id", "attempt")))


def parse(data: bytes) -> Recording:
    """The recording in these bytes; `Difference` at the first line that is damaged or out of place.

    A last line without its newline is one that was cut by a crash; the rest is a session not finished.
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
    """The recording in a file; `RecordingError` where it is damaged."""
    try:
        return parse(path.read_bytes())
    except Difference as problem:
        raise damaged(path, problem) from problem
    except OSError as problem:
        raise RecordingError(f"{path} cannot be read ({problem.strerror})", "restore the file") from problem


def damaged(path: Path, problem: Difference) -> RecordingError:
    """What a user is told about a file that is not what was recorded."""
    return RecordingError(
        f"{path}: {problem}",
        "restore the file from git or a backup; a recording that was edited has no value as evidence",
    )


def settled(lines: tuple[Mapping[str, Any], ...]) -> tuple[Mapping[str, Any], ...]:
    """The lines up to the last turn or complete call; what a crash left behind after it is made again.

    Nested calls are written before the call that they belong to: its own line completes it.
    """
    ends = [
        number
        for number, line in enumerate(lines)
        if line["kind"] == "turn" or line["event"]["kind"] == "call"
    ]
    return lines[: ends[-1] + 1] if ends else ()


def place_of(line: Mapping[str, Any]) -> str:
    """Where a reader finds a line: the step of an event, the number of a turn, header or end."""
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
) -> dict[str, Any]:
    """The first line: which session this is, of which version of task, brief and scaffold.

    The scaffold is null where the loop around the model was not ours; `model` is what is known of the model.
    """
    return {
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
    """The line of a model's reply; `calls` are the hashes (`call_sha256`) of the calls taken from it."""
    return {
        "kind": "turn",
        "n": n,
        "request_sha256": request_sha256,
        "reply": reply,
        "usage": {"tokens_in": tokens_in, "tokens_out": tokens_out},
        "calls": list(calls),
    }


def end_line(episode: Episode, tokens_in: int | None, tokens_out: int | None) -> dict[str, Any]:
    """The last line: how the episode ended; tokens are null where there was no turn."""
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
    """The line of an event."""
    return {"kind": "event", "event": event.to_json()}


def brief_sha256(brief: Brief) -> str:
    """sha256 (hex) of all that an agent is told before its first call."""
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
    """sha256 (hex) of a call: a turn names by it the calls that were taken from its reply."""
    return canonical.digest([tool, arguments])


def find(root: Path, agent: str) -> Iterator[tuple[Identity, Path]]:
    """The recordings of an agent (`*`: of all) in a folder of recordings, in order of path."""
    for path in sorted(root.glob(f"{agent}/*/*/*.jsonl")):
        if FILE_NAME.fullmatch(path.name):
            yield Identity.of(path), path


class RecordingFile:
    """A recording that is being written: `read` what is there, `cut` what is not settled, `append`.

    Only one process at a time holds the file; a line is on the disk when `append` returns.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._chain = ""
        self._fd = _open_locked(path)

    def load(self) -> tuple[Recording, int]:
        """What the file holds after what a crash left behind was cut off, and how many bytes that was.

        Cut off are a torn line, the traces of a call that was not complete, and an end that is none (a lost
        connection, a crash): all of it is made again. A reply that was received is never cut off.
        """
        data = self._read()
        try:
            found = parse(data)
        except Difference as problem:
            raise damaged(self.path, problem) from problem
        kept, end = found.lines, found.end
        if end is not None and end["status"] in PASSING:
            if end["status"] == "crashed":
                kept = _without_crash(kept)
            end = None
        if end is None:
            kept = settled(kept)
        count = (found.header is not None) + len(kept) + (end is not None)
        raw = data.split(b"\n")[:count]
        size = sum(len(line) + 1 for line in raw)
        if size < len(data):
            os.ftruncate(self._fd, size)
            os.fsync(self._fd)
        self._chain = canonical.loads(raw[-1])["chain"] if raw else ""
        return Recording(found.header, kept, end), len(data) - size

    def append(self, line: Mapping[str, Any]) -> None:
        """Write one line; `WriteError` where it does not fit on the disk: then the file is as before."""
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
        """Let the file go; one that holds nothing is removed."""
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
    """A descriptor that appends to the file, which no other process holds."""
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
        os.close(fd)  # another process removed the empty file between our two steps


def _fsync_folder(folder: Path) -> None:
    """Make sure that a new file in it is found after a power cut."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _bound(line: Mapping[str, Any], before: str) -> tuple[str, str]:
    """The canonical text of a line with its chain, and that chain."""
    chain = hashlib.sha256((before + canonical.dumps(line)).encode()).hexdigest()
    return canonical.dumps({**line, "chain": chain}), chain


def _check_line(raw: bytes, before: str, number: int) -> tuple[dict[str, Any], str]:
    """A line without its chain, and its chain."""
    place = f"line {number + 1}"
    try:
        line = canonical.loads(raw)
    except (ValueError, RecursionError):
        raise Difference(place, "not JSON") from None
    if not isinstance(line, dict) or line.get("kind") not in tuple(_FIELDS):  # the kind may be a list
        raise Difference(place, "not a line of a recording")
    found = line.pop("chain", None)
    place = place_of(line)
    try:
        text, chain = _bound(line, before)
    except (ValueError, UnicodeEncodeError):  # an infinite number, half a character
        raise Difference(place, "not JSON") from None
    if found != chain:
        raise Difference(place, "the chain of hashes is broken")
    if raw != text.encode():
        raise Difference(place, "not canonical JSON")
    fields = _FIELDS[line["kind"]]
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
    """The lines without the call in which a world crashed: where the defect was mended, it has a result."""
    for number in range(len(lines) - 1, -1, -1):
        if lines[number]["kind"] == "turn":
            return lines[: number + 1]
    return ()
