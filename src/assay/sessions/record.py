"""Records a session of a model: every reply is kept the moment it is there.

A finished session is left alone, and one that was interrupted, lost its connection or crashed is taken up
where it broke off. What was paid for is never asked for again: the session is played from its start with the
recorded replies, and only then with the model. So an interruption costs at most the request that was under
way.
"""

from __future__ import annotations

import datetime
import os
import platform
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
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
"""Where the clock and the host of each request are kept, beside the contract."""


@dataclass(frozen=True)
class Outcome:
    """What became of one session; `cut` is how many bytes an interruption had left behind to be dropped.

    `repeated` counts the requests that were made again now, as an interruption had lost their reply.
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
    """Record one session into a folder of recordings, or take it up where it broke off.

    The model is asked through `transport`, or through the one that the player names; every request passes
    the limit. Raises `RecordingError` where the file is damaged, in another's hands, or of another version of
    task, scaffold or settings, and `WriteError` where the disk is full: what was recorded stays as it is.
    """
    with RecordingFile(identity.path(root)) as file:
        found, cut = file.load()
        if found.end is not None:
            return Outcome(found.end["status"], found.end["reason"], played=False)
        live = transport or connect(player, identity, materials.blobs, endpoint)
        notes = Notes(identity.path(provenance), root)
        if found.header is None:
            notes.write("began")
        if cut:
            notes.write("cut", bytes=cut)
        before = notes.repeated()
        noted = Noted(live, notes, limit, identity.name)
        try:
            episode = Session(found, noted, file.append).play(suite, task, identity, player, materials)
        except Difference as problem:
            raise RecordingError(
                f"{file.path} cannot be taken up: {problem}, as task, scaffold, settings or world are not "
                "those with which the recording began",
                "go back to that version to finish it, or move the file aside to begin anew",
            ) from problem
        repeated = notes.repeated() - before
        return Outcome(episode.status, episode.reason, played=True, cut=cut, repeated=repeated)


def retrace(suite: Suite, task: Task, recording: Recording, materials: Materials) -> bool:
    """Whether the loop makes exactly the recorded requests and calls out of the recorded replies.

    `Difference` names the first turn or step that does not follow. False where it cannot be told: the
    session was recorded with another scaffold, or has no model.
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
        # That time ran out cannot be seen in what was said.
        if recording.end is not None and recording.end["status"] != "timeout":
            raise Difference("end", "the session goes on") from None
    return True


class Live(Protocol):
    """Who answers when the recorded replies are used up; `n` is the number of the turn."""

    def ask(self, n: int, request: Request) -> Reply:
        """The reply; `TransportError` where none can be had."""

    def waited(self) -> float:
        """The seconds that all its replies have taken, those before an interruption included."""


class Session:
    """One session: what was recorded happens again and is compared, what is new is appended.

    `append` writes one line. `live` is asked when the recorded replies are used up.
    """

    def __init__(self, found: Recording, live: Live, append: Callable[[Mapping[str, Any]], None]) -> None:
        self._live = live
        self._append = append
        self._lines = [line for line in (found.header, *found.lines, found.end) if line is not None]
        self._at = 0
        self._turns = found.turns
        self._asked = 0
        events = [line["event"] for line in found.lines if line["kind"] == "event"]
        self._outside = Given(events, lambda run, call: run(call))

    def play(
        self, suite: Suite, task: Task, identity: Identity, player: Player, materials: Materials
    ) -> Episode:
        """Play the session to its end; `Difference` where it is not the one that was recorded."""
        model = ModelAgent(self, player, self._note, self._waited)
        agent = _Headed(model, self._write, task, identity, player)
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
        """The recorded reply to a request, or the model's."""
        n = self._asked
        self._asked += 1
        if n >= len(self._turns):
            try:
                return self._live.ask(n, request)
            except AssayError as problem:  # it stops the recording, and says nothing about this session
                raise _Broken(problem) from problem
        turn = self._turns[n]
        if turn["request_sha256"] != request.sha256:
            raise _Broken(Difference(place_of(turn), "the request differs"))
        try:
            return Reply.from_json(turn["reply"], turn["usage"])
        except (KeyError, TypeError):
            raise _Broken(Difference(place_of(turn), "it holds no reply")) from None

    def _waited(self) -> float:
        """Seconds, once the model itself is asked: what was recorded is never cut short."""
        return self._live.waited() if self._asked >= len(self._turns) else 0.0

    def _note(self, turn: Turn) -> None:
        reply = turn.reply
        calls = [call_sha256(call.tool, call.arguments) for call in turn.calls]
        self._write(
            turn_line(turn.n, turn.request_sha256, reply.to_json(), reply.tokens_in, reply.tokens_out, calls)
        )

    def _write(self, line: Mapping[str, Any]) -> None:
        """The next line: compared with the recorded one, or appended where there is none."""
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
    """Carries a mistake past everything that catches exceptions between the log and `Session.play`."""

    def __init__(self, problem: AssayError | Difference) -> None:
        super().__init__(problem)
        self.problem = problem


class _AllRetraced(BaseException):
    """Ends a retracing where the recording ends."""


class _Silent:
    """A model that is never asked: a recording ends where its replies do."""

    def ask(self, n: int, request: Request) -> Reply:
        raise _AllRetraced

    def waited(self) -> float:
        return 0.0


def _difference(line: Mapping[str, Any], recorded: Mapping[str, Any]) -> Difference:
    """Where and in what a line differs from the recorded one."""
    place = place_of(recorded)
    if line["kind"] != recorded["kind"]:
        return Difference(place, "something else happens here")
    if line["kind"] == "event":
        line, recorded = line["event"], recorded["event"]
    keys = [key for key in line if canonical.dumps(line[key]) != canonical.dumps(recorded[key])]
    return Difference(place, f"{', '.join(keys)} differs")


@dataclass(frozen=True)
class _Headed:
    """A model that writes the header as soon as it knows its brief."""

    model: ModelAgent
    write: Callable[[Mapping[str, Any]], None]
    task: Task
    identity: Identity
    player: Player

    def act(self, brief: Brief, call: Call, stream: Stream) -> None:
        model = self.player.facts()
        self.write(header_line(self.identity, self.task, brief, scaffold_sha256=SCAFFOLD_SHA256, model=model))
        self.model.act(brief, call, stream)


class Notes:
    """When and where each request was made: one JSON line each, outside everything that is hashed.

    One file holds the notes of every session of one identity, whatever the `folder` in which it is recorded.
    What is counted is the last session in this folder, from its beginning.
    """

    def __init__(self, path: Path, folder: Path) -> None:
        self.path = path
        self.folder = str(folder)

    def write(self, what: str, **more: Json) -> None:
        """Append a line."""
        now = datetime.datetime.now(datetime.UTC).isoformat()
        where = {"host": platform.node(), "pid": os.getpid(), "folder": self.folder}
        line = canonical.dumps({"what": what, "at": now, **where, **more})
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def repeated(self) -> int:
        """How often a request was made that had been made before and whose reply an interruption lost."""
        lost: Counter[tuple[int, str]] = Counter()
        for line in self._lines():
            if line["what"] in ("asked", "failed"):
                request = (line["n"], line["request_sha256"])
                lost[request] += 1 if line["what"] == "asked" else -1
        return sum(max(0, times - 1) for times in lost.values())

    def seconds(self) -> float:
        """How long all requests have taken."""
        return float(sum(line.get("seconds", 0.0) for line in self._lines()))

    def _lines(self) -> list[dict[str, Any]]:
        """The notes of the session that is recorded in this folder now."""
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
                    continue  # a line that an interruption has cut
                if _is_note(line):
                    yield line


def _is_note(line: Any) -> bool:
    """Whether a line has what is counted here; a disk or an editor may have left anything."""
    if not isinstance(line, dict) or not isinstance(line.get("seconds", 0.0), int | float):
        return False
    if line.get("what") in ("asked", "failed"):
        return isinstance(line.get("n"), int) and isinstance(line.get("request_sha256"), str)
    return isinstance(line.get("what"), str)


class Noted:
    """A transport whose requests are noted, so that one lost by an interruption can be counted.

    `name` says whose requests they are, for messages.
    """

    def __init__(self, live: Transport, notes: Notes, limit: RateLimit | None, name: str) -> None:
        self._live = live
        self._notes = notes
        self._name = name
        self._limit = limit or RateLimit(Access(retries=0))
        self._waited = notes.seconds()

    def ask(self, n: int, request: Request) -> Reply:
        """The reply to the request that has the number `n` in its conversation, through the limit."""
        what: dict[str, Json] = {"n": n, "request_sha256": request.sha256}
        return self._limit.ask(lambda: self._ask(what, request), f"{self._name}, request {n + 1}")

    def waited(self) -> float:
        """The seconds that all replies have taken, those before an interruption included."""
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
