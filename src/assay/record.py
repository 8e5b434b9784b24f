"""`assay record`: lets a model play its tasks once, and keeps every reply the moment it is there.

Run it again at any time: finished sessions are left alone, and one that was interrupted, lost its connection
or crashed is taken up where it broke off. What was paid for is never asked for again: the session is played
from its start with the recorded replies, and only then with the model. So an interruption costs at most the
request that was under way.
"""

from __future__ import annotations

import argparse
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
from assay.agents.model import SCAFFOLD_SHA256, Limits, ModelAgent, Turn
from assay.agents.transport import Reply, Request, Transport, TransportError, connect
from assay.artefacts import KeyedArtefacts
from assay.blobs import MemoryBlobs
from assay.config import Config, Generated, ModelEntry, SuiteConfig, load
from assay.episode import Episode
from assay.errors import AssayError, RecordingError, UnknownName
from assay.harness import play
from assay.protocol import Brief, Call, Json, Materials
from assay.recording import (
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
    read,
    settled,
    turn_line,
)
from assay.replay import Given, Halt
from assay.rng import Stream
from assay.suite import Suite
from assay.task import Task
from assay.taskfiles import find_task, folder

PROVENANCE = Path("results/provenance/recordings")
"""Where the clock and the host of each request are kept, beside the contract."""


@dataclass(frozen=True)
class Player:
    """A model as its entry in the configuration describes it: how it is reached, and its limits."""

    transport: Mapping[str, Any]
    limits: Limits

    def facts(self) -> dict[str, Any]:
        """What a recording's header says about the model."""
        limits = {"turns": self.limits.turns, "tokens": self.limits.tokens}
        return {"transport": dict(self.transport), "limits": limits}


@dataclass(frozen=True)
class Outcome:
    """What became of one session; `cut` is how many bytes an interruption had left behind to be dropped."""

    status: str
    reason: str
    played: bool
    cut: int = 0

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
) -> Outcome:
    """Record one session into a folder of recordings, or take it up where it broke off.

    Raises `RecordingError` where the file is damaged, in another's hands, or of another version of task,
    scaffold or settings, and `WriteError` where the disk is full: what was recorded stays as it is.
    """
    with RecordingFile(identity.path(root)) as file:
        found, cut = file.load()
        if found.end is not None:
            return Outcome(found.end["status"], found.end["reason"], played=False)
        notes = Notes(identity.path(provenance))
        if cut:
            notes.write("cut", bytes=cut)
        live = _Noted(transport or connect(player.transport, identity, materials.blobs), notes)
        try:
            episode = Session(found, live, file.append).play(suite, task, identity, player, materials)
        except Difference as problem:
            raise RecordingError(
                f"{file.path} cannot be taken up: {problem}, as task, scaffold, settings or world are not "
                "those with which the recording began",
                "go back to that version to finish it, or move the file aside to begin anew",
            ) from problem
        return Outcome(episode.status, episode.reason, played=True, cut=cut)


def retrace(suite: Suite, task: Task, recording: Recording, materials: Materials) -> bool:
    """Whether the loop makes exactly the recorded requests and calls out of the recorded replies.

    `Difference` names the first turn or step that does not follow. False where it cannot be told: the
    session was recorded with another scaffold, or has no model.
    """
    header, identity = recording.header, recording.identity
    if header is None or identity is None or header["scaffold_sha256"] != SCAFFOLD_SHA256:
        return False
    player = Player(header["model"]["transport"], Limits(**header["model"]["limits"]))
    if recording.end is None or recording.end["status"] in PASSING:
        recording = Recording(header, settled(recording.lines), None)

    def stop(line: Mapping[str, Any]) -> None:
        raise _AllRetraced

    try:
        Session(recording, _Silent(), stop).play(suite, task, identity, player, materials)
    except _AllRetraced:
        if recording.end is not None:
            raise Difference("end", "the session goes on") from None
    return True


class Live(Protocol):
    """Who answers when the recorded replies are used up; `n` is the number of the turn."""

    def ask(self, n: int, request: Request) -> Reply:
        """The reply; `TransportError` where none can be had."""


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
        model = ModelAgent(self, player.limits, self._note)
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
            return self._live.ask(n, request)
        turn = self._turns[n]
        if turn["request_sha256"] != request.sha256:
            raise _Broken(Difference(place_of(turn), "the request differs"))
        try:
            return Reply.from_json(turn["reply"], turn["usage"])
        except (KeyError, TypeError):
            raise _Broken(Difference(place_of(turn), "it holds no reply")) from None

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
    """When and where each request was made: one JSON line each, outside everything that is hashed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, what: str, **more: Json) -> None:
        """Append a line."""
        now = datetime.datetime.now(datetime.UTC).isoformat()
        line = canonical.dumps({"what": what, "at": now, "host": platform.node(), "pid": os.getpid(), **more})
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

    def _lines(self) -> Iterator[dict[str, Any]]:
        if self.path.exists():
            for text in self.path.read_bytes().split(b"\n"):
                try:
                    yield canonical.loads(text)
                except ValueError:
                    continue  # a line that an interruption has cut


@dataclass(frozen=True)
class _Noted:
    """A transport whose requests are noted, so that one lost by an interruption can be counted."""

    live: Transport
    notes: Notes

    def ask(self, n: int, request: Request) -> Reply:
        what: dict[str, Any] = {"n": n, "request_sha256": request.sha256}
        self.notes.write("asked", **what)
        began = time.monotonic()
        try:
            reply = self.live.ask(request)
        except TransportError as problem:
            self.notes.write("failed", **what, problem=str(problem))
            raise
        self.notes.write("answered", **what, seconds=round(time.monotonic() - began, 6))
        return reply


@dataclass(frozen=True)
class Job:
    """All attempts at one task."""

    config: SuiteConfig
    task_set: str
    index: int


def jobs(config: Config, entry: ModelEntry, suite: str | None, task_set: str | None) -> list[Job]:
    """The tasks that a model has to play, of one suite or set only where that is asked for."""
    found = []
    for name, sets in sorted(entry.suites.items()):
        if name not in config.suites or suite not in (None, name):
            continue
        suite_config = config.suites[name]
        for each in sorted(suite_config.file.sets):
            if (sets == "all" or each in sets) and task_set in (None, each):
                found += [Job(suite_config, each, index) for index in range(_size(suite_config, each))]
    if not found:
        raise UnknownName(
            "there is no task to record here",
            "correct --suite and --set, or the `suites` of the agent in the configuration",
        )
    return found


def _size(config: SuiteConfig, task_set: str) -> int:
    entry = config.file.sets[task_set]
    if isinstance(entry, Generated):
        return entry.count
    return len(list(folder(config, task_set).glob("*.json")))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `assay record`."""
    parser.add_argument("agent", help="a model of config/agents.yaml")
    parser.add_argument("--suite", help="only this suite")
    parser.add_argument("--set", dest="task_set", help="only this task set")
    parser.add_argument("--attempts", type=int, help="episodes a task (default: the agent's)")
    parser.add_argument("--dry-run", action="store_true", help="say what would be recorded, and do nothing")
    parser.add_argument("--config", type=Path, default=Path("config/config.yaml"))


def main(args: argparse.Namespace) -> int:
    """Record what is missing; returns 0 where every session has come to an end, else 1."""
    config = load(args.config)
    entry = config.agents.get(args.agent)
    if entry is None:
        models = [name for name, agent in config.agents.items() if isinstance(agent, ModelEntry)]
        raise UnknownName(
            f"{config.project.agents} has no agent {args.agent!r}",
            f"add it there; its models are {', '.join(sorted(models)) or 'none yet'}",
        )
    if not isinstance(entry, ModelEntry):
        raise UnknownName(f"{args.agent} is a solver", "solvers play inside `make reproduce`; record models")
    player = Player(entry.transport.model_dump(mode="json"), Limits(entry.limits.turns, entry.limits.tokens))
    todo = jobs(config, entry, args.suite, args.task_set)
    attempts = args.attempts or entry.attempts
    if args.dry_run:
        return _announce(config, args.agent, todo, attempts, player)
    return _sweep(config, args.agent, todo, attempts, player)


def _sweep(config: Config, agent: str, todo: list[Job], attempts: int, player: Player) -> int:
    """Record one session after the other, and sum up."""
    statuses: Counter[str] = Counter()
    fresh = repeated = 0
    artefacts: dict[str, KeyedArtefacts] = {}
    for number, job in enumerate(todo):
        suite, blobs = job.config.suite, MemoryBlobs()
        task = find_task(job.config, f"{job.task_set}/{job.index}", blobs)
        shared = artefacts.setdefault(suite.name, KeyedArtefacts(suite, (), MemoryBlobs()))
        for attempt in range(attempts):
            identity = Identity(agent, suite.name, job.task_set, task.task_id, attempt)
            materials = Materials(blobs, shared)
            outcome = record(suite, task, identity, player, materials, config.project.recordings)
            statuses[outcome.status] += 1
            fresh += outcome.played
            repeated += Notes(identity.path(PROVENANCE)).repeated()
            where = f"{suite.name}/{job.task_set}/{task.task_id} attempt {attempt}"
            print(
                f"{number * attempts + attempt + 1} of {len(todo) * attempts}: {where}: {outcome}", flush=True
            )
    summary = ", ".join(f"{status} {count}" for status, count in sorted(statuses.items()))
    print(f"{agent}: {statuses.total()} sessions, {fresh} of them now: {summary}")
    print(f"requests repeated because an interruption had lost their reply: {repeated}")
    again = sum(statuses[status] for status in PASSING)
    if again:
        print(f"{again} sessions came to no end of their own: run `assay record {agent}` again")
    return int(again > 0)


def _announce(config: Config, agent: str, todo: list[Job], attempts: int, player: Player) -> int:
    """Say how many sessions there are, how many are finished, and what the others may use at most."""
    finished = 0
    for job in todo:
        task = find_task(job.config, f"{job.task_set}/{job.index}", MemoryBlobs())
        for attempt in range(attempts):
            identity = Identity(agent, job.config.suite.name, job.task_set, task.task_id, attempt)
            path = identity.path(config.project.recordings)
            end = read(path).end if path.exists() else None
            finished += end is not None and end["status"] not in PASSING
    left = len(todo) * attempts - finished
    print(f"{agent}: {len(todo) * attempts} sessions, {finished} finished, {left} to record")
    print(
        f"at most {left * player.limits.turns} requests and about {left * player.limits.tokens} tokens"
        " (the limits of an episode, times the sessions)"
    )
    return 0
