"""Recording of a model's session; every reply is written to the disk as soon as it arrives.

A finished session is not played again. One that was interrupted, lost its connection or crashed is continued:
it is played from its start with the recorded replies, and then with the model. So no reply is paid for twice,
and an interruption costs at most the request that was in progress.
"""

from __future__ import annotations

import datetime
import os
import platform
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from assay import canonical
from assay.agents.connection import connect
from assay.agents.model import SCAFFOLD_SHA256, ModelAgent, Turn
from assay.agents.player import Player
from assay.agents.ratelimit import Access, RateLimit
from assay.agents.transport import Endpoint, Reply, Request, Transport, TransportError
from assay.episode import Episode
from assay.episodes.harness import play
from assay.errors import AssayError, RecordingError
from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Json, Materials
from assay.sessions.pacing import Pace
from assay.sessions.recording import (
    PASSING,
    Difference,
    Identity,
    Recording,
    RecordingFile,
    call_sha256,
    end_line,
    event_line,
    header_line,
    place_of,
    settled,
    turn_line,
)
from assay.sessions.replay import Given, Halt
from assay.suite import Suite
from assay.task import Task

PROVENANCE = Path("results/provenance/recordings")
"""The folder for the time and host of each request, which are not part of the recording."""


@dataclass(frozen=True)
class Outcome:
    """The result of recording a session.

    Attributes:
        status: The status of the episode.
        reason: Why the episode ended; empty if the status says it.
        played: Whether it was played now; otherwise it had been recorded before.
        cut: The number of bytes that were removed from the file, because they belonged to an incomplete call.
        repeated: The number of requests that were made again, because an interruption had lost their reply.
    """

    status: str
    reason: str
    played: bool
    cut: int = 0
    repeated: int = 0

    def __str__(self) -> str:
        words = f"{self.status} ({self.reason})" if self.reason else self.status
        words += "" if self.played else ", recorded before"
        return words + (f"; {self.cut} bytes of an interrupted call were dropped" if self.cut else "")


def record(
    suite: Suite,
    task: Task,
    identity: Identity,
    player: Player,
    materials: Materials,
    root: Path,
    transport: Transport | None = None,
    provenance: Path = PROVENANCE,
    *,
    endpoint: Endpoint | None = None,
    limit: RateLimit | None = None,
) -> Outcome:
    """Record one session into a folder of recordings, or continue it where it broke off.

    Args:
        suite: The suite of the task.
        task: The task.
        identity: The identity of the session.
        player: The model, as its configuration describes it.
        materials: Contents by hash and artefacts by key.
        root: The folder of recordings.
        transport: The connection to the model; by default the transport that the player names.
        provenance: The folder for the time and host of each request.
        endpoint: Address and key of the model's provider.
        limit: The rate limit and budget of all requests.

    Raises:
        RecordingError: If the file is damaged, locked by another process, or was made with another version
            of the task, scaffold or settings.
        WriteError: If the disk is full; what was recorded before is unchanged.
    """
    with RecordingFile(identity.path(root)) as file:
        recording, cut = file.load()
        if recording.end is not None:
            return Outcome(recording.end["status"], recording.end["reason"], played=False)
        live = transport or connect(player, identity, materials.blobs, endpoint)
        notes = Notes(identity.path(provenance), root)
        if recording.header is None:
            notes.write("began")
        if cut:
            notes.write("cut", bytes=cut)
        before = notes.repeated()
        noted = Noted(live, notes, limit, identity.name)
        try:
            episode = Session(recording, noted, file.append).play(suite, task, identity, player, materials)
        except Difference as problem:
            raise RecordingError(
                f"{file.path} cannot be continued: {problem}, because task, scaffold, settings or world are "
                "not those with which the recording began",
                "go back to that version to finish it, or move the file aside to begin anew",
            ) from problem
        repeated = notes.repeated() - before
        return Outcome(episode.status, episode.reason, played=True, cut=cut, repeated=repeated)


def retrace(suite: Suite, task: Task, recording: Recording, materials: Materials) -> bool:
    """Check that the loop around a model makes the recorded requests and calls from the recorded replies.

    Returns:
        Whether this could be checked. It cannot if the session has no model or another scaffold.

    Raises:
        Difference: At the first turn or step that differs.
    """
    header, identity = recording.header, recording.identity
    if header is None or identity is None or header["scaffold_sha256"] != SCAFFOLD_SHA256:
        return False
    player = Player.of(header["model"])
    if recording.end is None or recording.end["status"] in PASSING:
        recording = Recording(header, settled(recording.lines), None)

    def stop(line: Mapping[str, Any]) -> None:
        raise _AllRetraced

    try:
        Session(recording, _Silent(), stop).play(suite, task, identity, player, materials)
    except _AllRetraced:
        # A recording that ended at a time limit is correct, although its replies do not show the limit.
        if recording.end is not None and recording.end["status"] != "timeout":
            raise Difference("end", "the session goes on") from None
    return True


class Live(Protocol):
    """The source of replies after the recorded ones."""

    def ask(self, n: int, request: Request) -> Reply:
        """Return the reply of turn `n`, or raise `TransportError`."""

    def waited(self) -> float:
        """Return the seconds that all replies have taken, including those before an interruption."""


class Session:
    """A session that first repeats what was recorded, comparing each line, and then appends new lines.

    Args:
        recording: What was recorded.
        live: The source of replies after the recorded ones.
        append: Writes one line.
    """

    def __init__(self, recording: Recording, live: Live, append: Callable[[Mapping[str, Any]], None]) -> None:
        self._live = live
        self._append = append
        self._lines = [
            line for line in (recording.header, *recording.lines, recording.end) if line is not None
        ]
        self._at = 0
        self._turns = recording.turns
        self._asked = 0
        events = [line["event"] for line in recording.lines if line["kind"] == "event"]
        self._outside = Given(events, lambda run, call: run(call))

    def play(
        self, suite: Suite, task: Task, identity: Identity, player: Player, materials: Materials
    ) -> Episode:
        """Play the session to its end and return the episode.

        Raises:
            Difference: If it differs from the session that was recorded.
        """
        model = ModelAgent(self, player, self._note, self._waited)
        agent = _Headed(model, self._write, task, identity, player, Pace.of(suite, task), self._is_live)
        try:
            episode = play(
                suite,
                task,
                identity.agent,
                agent,
                identity.attempt,
                materials,
                log=lambda event: self._write(event_line(event)),
                outside=self._outside,
            )
            tokens = (model.tokens_in, model.tokens_out) if model.turns else (None, None)
            self._write(end_line(episode, *tokens))
        except _Broken as broken:
            raise broken.problem from broken
        except Halt as halt:
            raise Difference(halt.place, halt.problem) from halt
        return episode

    def ask(self, request: Request) -> Reply:
        """Return the recorded reply to a request, or ask the model if all recorded replies are used."""
        n = self._asked
        self._asked += 1
        if n >= len(self._turns):
            try:
                return self._live.ask(n, request)
            except AssayError as problem:  # such an error ends the recording of all sessions
                raise _Broken(problem) from problem
        turn = self._turns[n]
        if turn["request_sha256"] != request.sha256:
            raise _Broken(Difference(place_of(turn), "the request differs"))
        try:
            return Reply.from_json(turn["reply"], turn["usage"])
        except (KeyError, TypeError):
            raise _Broken(Difference(place_of(turn), "it holds no reply")) from None

    def _is_live(self) -> bool:
        return self._asked > len(self._turns)

    def _waited(self) -> float:
        """Return the seconds that all replies took; 0 during recorded replies, which have no time limit."""
        return self._live.waited() if self._asked >= len(self._turns) else 0.0

    def _note(self, turn: Turn) -> None:
        reply = turn.reply
        calls = [call_sha256(call.tool, call.arguments) for call in turn.calls]
        self._write(
            turn_line(turn.n, turn.request_sha256, reply.to_json(), reply.tokens_in, reply.tokens_out, calls)
        )

    def _write(self, line: Mapping[str, Any]) -> None:
        """Compare a line with the recorded one, or append it after the last recorded one."""
        if self._at < len(self._lines):
            recorded = self._lines[self._at]
            if canonical.dumps(line) != canonical.dumps(recorded):
                raise _Broken(_difference(line, recorded))
        else:
            try:
                self._append(line)
            except AssayError as problem:
                raise _Broken(problem) from problem
        self._at += 1


class _Broken(BaseException):
    """Carries an error of the log to `Session.play`. Code that catches `Exception` does not catch it."""

    def __init__(self, problem: AssayError | Difference) -> None:
        super().__init__(problem)
        self.problem = problem


class _AllRetraced(BaseException):
    """Ends `retrace` where the recording ends."""


class _Silent:
    """Ends a session after the recorded replies."""

    def ask(self, n: int, request: Request) -> Reply:
        raise _AllRetraced

    def waited(self) -> float:
        return 0.0


def _difference(line: Mapping[str, Any], recorded: Mapping[str, Any]) -> Difference:
    """Return a `Difference` that names the fields in which a line differs from the recorded one."""
    place = place_of(recorded)
    if line["kind"] != recorded["kind"]:
        return Difference(place, "something else happens here")
    if line["kind"] == "event":
        line, recorded = line["event"], recorded["event"]
    keys = [key for key in line if canonical.dumps(line[key]) != canonical.dumps(recorded[key])]
    return Difference(place, f"{', '.join(keys)} differs")


@dataclass(frozen=True)
class _Headed:
    """An agent that writes the header of the recording when it gets its brief, and then lets a model play."""

    model: ModelAgent
    write: Callable[[Mapping[str, Any]], None]
    task: Task
    identity: Identity
    player: Player
    pace: Pace
    live: Callable[[], bool]

    def act(self, brief: Brief, call: Call, stream: Stream) -> None:
        model = self.player.facts()
        self.write(header_line(self.identity, self.task, brief, scaffold_sha256=SCAFFOLD_SHA256, model=model))
        self.model.act(brief, partial(self.pace.call, call, live=self.live), stream)


class Notes:
    """The time and host of each request as JSON lines, which no hash covers.

    One file holds the notes of all sessions of an identity. The methods count only the notes of the last
    session in `folder`.

    Args:
        path: The file.
        folder: The folder of recordings.
    """

    def __init__(self, path: Path, folder: Path) -> None:
        self.path = path
        self.folder = str(folder)

    def write(self, what: str, **more: Json) -> None:
        """Append a line with time and host."""
        now = datetime.datetime.now(datetime.UTC).isoformat()
        where = {"host": platform.node(), "pid": os.getpid(), "folder": self.folder}
        line = canonical.dumps({"what": what, "at": now, **where, **more})
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def repeated(self) -> int:
        """Return the number of requests that were made again because an interruption had lost their reply."""
        lost: Counter[tuple[int, str]] = Counter()
        for line in self._lines():
            if line["what"] in ("asked", "failed"):
                request = (line["n"], line["request_sha256"])
                lost[request] += 1 if line["what"] == "asked" else -1
        return sum(max(0, times - 1) for times in lost.values())

    def seconds(self) -> float:
        """Return the seconds that all requests have taken."""
        return float(sum(line.get("seconds", 0.0) for line in self._lines()))

    def _lines(self) -> list[dict[str, Any]]:
        """Return the notes of the session that is now recorded in this folder."""
        session: list[dict[str, Any]] = []
        for line in self._all_lines():
            if line.get("folder") == self.folder:
                if line["what"] == "began":
                    session.clear()
                session.append(line)
        return session

    def _all_lines(self) -> Iterator[dict[str, Any]]:
        if self.path.exists():
            for text in self.path.read_bytes().split(b"\n"):
                try:
                    line = canonical.loads(text)
                except (ValueError, RecursionError):
                    continue  # an interruption has cut off the line
                if _is_note(line):
                    yield line


def _is_note(line: Any) -> bool:
    """Return whether a line has the expected fields; a file can contain anything after a crash or an edit."""
    if not isinstance(line, dict) or not isinstance(line.get("seconds", 0.0), int | float):
        return False
    if line.get("what") in ("asked", "failed"):
        return isinstance(line.get("n"), int) and isinstance(line.get("request_sha256"), str)
    return isinstance(line.get("what"), str)


class Noted:
    """A transport that notes its requests, so that those lost by an interruption can be counted.

    Args:
        live: The transport.
        notes: The file in which requests are noted.
        limit: The rate limit and budget of all requests.
        name: The session's name for messages.
    """

    def __init__(self, live: Transport, notes: Notes, limit: RateLimit | None, name: str) -> None:
        self._live = live
        self._notes = notes
        self._name = name
        self._limit = limit or RateLimit(Access(retries=0))
        self._waited = notes.seconds()

    def ask(self, n: int, request: Request) -> Reply:
        """Return the reply to request `n` of the conversation; the request waits for the limit."""
        what: dict[str, Json] = {"n": n, "request_sha256": request.sha256}
        return self._limit.ask(lambda: self._ask(what, request), f"{self._name}, request {n + 1}")

    def waited(self) -> float:
        """Return the seconds that all replies have taken, including those before an interruption."""
        return self._waited

    def _ask(self, what: Mapping[str, Json], request: Request) -> Reply:
        self._notes.write("asked", **what)
        began = time.monotonic()
        try:
            reply = self._live.ask(request)
        except (TransportError, AssayError) as problem:
            self._notes.write("failed", **what, **self._took(began), problem=problem.message)
            raise
        self._notes.write("answered", **what, **self._took(began))
        return reply

    def _took(self, began: float) -> dict[str, Json]:
        seconds = round(time.monotonic() - began, 6)
        self._waited += seconds
        return {"seconds": seconds}
