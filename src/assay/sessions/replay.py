"""Replay of recorded sessions: their calls are executed again, and the events compared.

A replay proves that this world gives the recorded results for these calls, that the recorded turns of the
model asked for the calls, and that status, counters, tokens and submission follow from them. It does not
prove what cannot be reproduced: the model's replies, and the values of `Door.outside`. So a forger who
invents a model's replies, plays the world with them and records everything consistently cannot be
distinguished from a model that gave these replies. The command `assay replay` (`assay.cli.replay`) also
compares the requests, if the scaffold is still the recorded one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from assay import canonical
from assay.episode import Episode, Event, decode_parts
from assay.episodes.harness import (
    MOST_EVENTS,
    NOT_JSON,
    EpisodeOver,
    Outside,
    left,
    play,
    scored_when_left,
)
from assay.numbers.rng import Stream
from assay.protocol import BlobRef, Brief, Call, Json, Materials, Result, Status
from assay.sessions.recording import (
    Difference,
    Identity,
    Recording,
    brief_sha256,
    call_sha256,
    parse,
    settled,
)
from assay.suite import Suite
from assay.task import Task

AGENT_ENDS: frozenset[Status] = frozenset(
    {"refused", "truncated", "budget", "timeout", "transport", "crashed"}
)
"""Statuses that the agent's side causes. A replay cannot reproduce them and takes them from the recording."""

UNFINISHED = "the recording is not finished: run `assay record` again"

_ASPECTS: Mapping[str, str] = {
    "step": "the number of the step",
    "parent": "the call it belongs to",
    "kind": "the kind of event",
    "tool": "the tool",
    "arguments": "the arguments",
    "ok": "the outcome",
    "error": "the outcome",
    "parts": "the result",
    "charged": "the charge",
    "ended": "the outcome",
    "fresh": "the outcome",
}


def replay(suite: Suite, task: Task, path: Path, materials: Materials) -> Episode:
    """Execute a recording again and return its episode.

    If the file is damaged, belongs to another task, or differs from what happens now, the episode has the
    status `rejected` and no submission. Its reason names the first step that differs, without the answer of
    the world, and its events are those of the calls before. A recording that is not finished gives the status
    `transport`, which has a row in the tables and no score.

    Args:
        suite: The suite of the task.
        task: The task.
        path: The recording.
        materials: Contents by hash and artefacts by key.

    Raises:
        RecordingError: If the path is not of the form <agent>/<suite>/<set>/<task>.<attempt>.jsonl.
    """
    identity = Identity.of(path)
    session = _Replay(task, identity)
    recording = Recording(None, (), None)
    try:
        recording = parse(path.read_bytes())
        session.check_header(recording)
        episode = session.play(suite, materials, recording)
    except Difference as difference:
        return session.rejected(recording, str(difference))
    return replace(episode, source="recording", scaffold_sha256=session.scaffold(recording))


@dataclass
class _Replay:
    """One replay; `equal` are the events that are equal to the recorded ones, in the order of completion."""

    task: Task
    identity: Identity
    equal: list[Event] = field(default_factory=list)

    def scaffold(self, recording: Recording) -> str | None:
        scaffold: str | None = recording.header["scaffold_sha256"] if recording.header else None
        return scaffold

    def check_header(self, recording: Recording) -> None:
        """Raise `Difference` if the recording is of another session or another version of the task."""
        if recording.header is None:
            return
        if recording.identity != self.identity:
            raise Difference("header", "it names another session than the path of the file")
        task = self.task
        if (task.suite, task.task_set, task.task_id) != (
            self.identity.suite,
            self.identity.task_set,
            self.identity.task_id,
        ):
            raise Difference("header", "the recording is of another task")
        if recording.header["task_sha256"] != task.digest:
            raise Difference("header", "the task is not the one that was recorded")

    def play(self, suite: Suite, materials: Materials, recording: Recording) -> Episode:
        """Play the recorded calls and compare the events. Statuses of `AGENT_ENDS` are taken as recorded."""
        if recording.header is None:
            return self._episode("transport", UNFINISHED)
        recorded = _Recorded(recording, self.equal)
        try:
            episode = play(
                suite,
                self.task,
                self.identity.agent,
                _Reader(recorded),
                self.identity.attempt,
                materials,
                log=recorded.compare,
                outside=recorded.outside,
            )
        except Halt as halt:
            raise Difference(halt.place, halt.problem) from None
        recorded.check_complete()
        tokens_in, tokens_out = _tokens(recording)
        episode = replace(episode, tokens_in=tokens_in, tokens_out=tokens_out)
        if recording.end is None:
            program = recording.header["scaffold_sha256"] is None
            if program and scored_when_left(suite, self.task):
                return replace(episode, status="done", reason=left("transport", UNFINISHED))
            return replace(episode, status="transport", reason=UNFINISHED, submission=None)
        return _ended(episode, recording.end, by_world=recorded.over or episode.status == "crashed")

    def rejected(self, recording: Recording, reason: str) -> Episode:
        """Return the episode of a recording that differs from what happens now."""
        return replace(
            self._episode("rejected", reason),
            events=_whole_calls(self.equal),
            scaffold_sha256=self.scaffold(recording),
        )

    def _episode(self, status: Status, reason: str) -> Episode:
        return Episode(
            suite=self.task.suite,
            task_set=self.task.task_set,
            task_id=self.task.task_id,
            agent=self.identity.agent,
            attempt=self.identity.attempt,
            status=status,
            reason=reason,
            submission=None,
            counters={},
            events=(),
            source="recording",
        )


class Halt(BaseException):
    """A difference that ends the replay. It is a `BaseException`, so that no world catches it as an error."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(place, problem)
        self.place = place
        self.problem = problem


class Given:
    """Recorded values that cannot be reproduced, in the order in which worlds ask for them.

    The calls that belong to a value are made again.

    Args:
        events: The recorded events as JSON.
        beyond: Called as `beyond(run, call)` for values after the last recorded one.
    """

    def __init__(self, events: Iterable[Mapping[str, Any]], beyond: Outside) -> None:
        self._beyond = beyond
        in_order = sorted(events, key=lambda event: event["step"])
        self._full = len(in_order) >= MOST_EVENTS
        self._values = iter([event for event in in_order if event["kind"] == "outside"])
        self._nested: dict[int, list[Mapping[str, Any]]] = {}
        for event in in_order:
            if event["kind"] == "code":
                self._nested.setdefault(event["parent"], []).append(event)

    def __call__(self, run: Callable[[Call], Json], call: Call) -> Json:
        """Return the next value in place of `run(call)`, see `Harness.outside`."""
        recorded = next(self._values, None)
        if recorded is None:
            return self._beyond(run, call)
        for event in self._nested.get(recorded["step"], []):
            call(event["tool"], arguments_of(event))
        if not recorded["ok"]:
            if self._full:
                call("", {})  # a call beyond `MOST_EVENTS`, which no log contains, ended the episode
            raise RuntimeError("what was recorded did not come to its end")
        try:
            (value,) = decode_parts(recorded["parts"])
        except (ValueError, KeyError, TypeError):
            value = BlobRef("", "", 0)
        if isinstance(value, BlobRef):
            raise Halt(f"step {recorded['step']}", "it holds no value from outside")
        return value


class _Recorded:
    """The recorded events, with which the events of a replay are compared."""

    def __init__(self, recording: Recording, equal: list[Event]) -> None:
        self.header: Mapping[str, Any] = recording.header or {}
        self.end = recording.end
        self.equal = equal
        self.over = False
        self.at = 0  # the step of the agent's current call
        self._lines = recording.lines if recording.end else settled(recording.lines)
        self._expected = [line["event"] for line in self._lines if line["kind"] == "event"]
        self.outside = Given(self._expected, self._missing)

    def compare(self, event: Event) -> None:
        """Raise `Halt` if an event is not the next recorded one."""
        number = len(self.equal)
        if number >= len(self._expected):
            if self.end is None and event.kind == "file":
                return  # the session was cut between a call and the files it had changed
            raise Halt(f"step {event.step}", "it is not in the recording")
        made, recorded = event.to_json(), self._expected[number]
        if canonical.dumps(made) != canonical.dumps(recorded):
            differing = (
                key for key in _ASPECTS if canonical.dumps(made[key]) != canonical.dumps(recorded[key])
            )
            raise Halt(f"step {event.step}", f"{_ASPECTS[next(differing)]} differs")
        self.equal.append(event)

    def _missing(self, run: Callable[[Call], Json], call: Call) -> Json:
        """Raise `Halt`, because a replay never runs an agent's code."""
        raise Halt(f"step {self.at}", "a value from outside is missing")

    def turns(self) -> Iterator[tuple[Mapping[str, Any] | None, list[dict[str, Any]], bool]]:
        """Yield each turn, the agent's calls that came after it, and whether it is the last turn.

        Calls before the first turn come with `None` in place of a turn.
        """
        starts = [number for number, line in enumerate(self._lines) if line["kind"] == "turn"]
        bounds = [*([0] if not starts or starts[0] > 0 else []), *starts, len(self._lines)]
        for start, stop in pairwise(bounds):
            lines = self._lines[start:stop]
            turn = lines[0] if lines and lines[0]["kind"] == "turn" else None
            events = (line["event"] for line in lines if line["kind"] == "event")
            calls = [event for event in events if event["kind"] == "call"]
            yield turn, calls, stop == len(self._lines)

    def check_complete(self) -> None:
        """Raise `Difference` if something was recorded that did not happen again."""
        if len(self.equal) < len(self._expected):
            raise Difference(f"step {self._expected[len(self.equal)]['step']}", "it does not happen")


class _Reader:
    """An agent that makes the recorded calls, provided that the recorded turns asked for them."""

    def __init__(self, recorded: _Recorded) -> None:
        self._recorded = recorded

    def act(self, brief: Brief, call: Call, stream: Stream) -> None:
        """Make the recorded calls in their order."""
        recorded = self._recorded
        if brief_sha256(brief) != recorded.header["brief_sha256"]:
            raise Halt("header", "the brief is not the one that was recorded")
        for turn, calls, last in recorded.turns():
            if turn is not None and recorded.over:
                raise Halt(f"turn {turn['n']}", "the episode was over")
            fresh = False
            for number, event in enumerate(calls):
                self._check_asked(turn, number, event)
                fresh = self._make(call, event).fresh
            broken_off = last and (recorded.end is None or recorded.end["status"] in AGENT_ENDS)
            asked = 0 if turn is None else len(turn["calls"])
            if len(calls) < asked and not (recorded.over or fresh or broken_off):
                raise Halt(f"step {len(recorded.equal)}", "a call that the turn asked for is missing")

    def _check_asked(self, turn: Mapping[str, Any] | None, number: int, event: Mapping[str, Any]) -> None:
        """Raise `Halt` if a call was recorded that the reply of the model did not ask for."""
        if turn is None:
            if self._recorded.header["scaffold_sha256"] is not None:
                raise Halt(f"step {event['step']}", "no turn asked for this call")
        elif number >= len(turn["calls"]) or turn["calls"][number] != call_sha256(
            event["tool"], event["arguments"]
        ):
            raise Halt(f"step {event['step']}", f"turn {turn['n']} did not ask for this call")

    def _make(self, call: Call, event: Mapping[str, Any]) -> Result:
        """Make a recorded call of the agent; raise `Halt` if it is not carried out."""
        before, self._recorded.at = len(self._recorded.equal), event["step"]
        try:
            result = call(event["tool"], arguments_of(event))
        except EpisodeOver:
            self._recorded.over = True
            raise
        if len(self._recorded.equal) == before:
            raise Halt(f"step {event['step']}", "the episode was over")
        self._recorded.over = result.ended is not None
        return result


def arguments_of(event: Mapping[str, Any]) -> Any:
    """Return the arguments with which a recorded call is made again.

    Arguments that were not JSON are not in the log. They are replaced by an object of a type with the same
    name, so that the call is refused again and logged in the same way.
    """
    arguments = event["arguments"]
    if event["error"] == NOT_JSON.format(event["tool"]):
        return type(str(arguments.get("not_json")), (), {})() if isinstance(arguments, dict) else arguments
    return arguments


def _ended(episode: Episode, end: Mapping[str, Any], *, by_world: bool) -> Episode:
    """Return the episode with its recorded end; raise `Difference` if the replay ended differently."""
    status: Status = end["status"]
    allowed = {episode.status} if by_world else {episode.status} | AGENT_ENDS
    compared = {
        "the status": status in allowed,
        "the reason": not by_world or status == "crashed" or end["reason"] == episode.reason,
        "the submission": canonical.dumps(end["submission"]) == canonical.dumps(episode.submission),
        "a counter": canonical.dumps(end["counters"]) == canonical.dumps(dict(episode.counters)),
        "the number of events": end["n_events"] == len(episode.events),
        "the number of tokens": (end["tokens_in"], end["tokens_out"])
        == (episode.tokens_in, episode.tokens_out),
    }
    for aspect, equal in compared.items():
        if not equal:
            raise Difference("end", f"{aspect} differs")
    return replace(episode, status=status, reason=end["reason"])


def _tokens(recording: Recording) -> tuple[int | None, int | None]:
    """Return the numbers of tokens read and written in all turns; `None` for both if there are no turns."""
    turns = recording.turns
    if not turns:
        return None, None
    return sum(turn["usage"]["tokens_in"] for turn in turns), sum(
        turn["usage"]["tokens_out"] for turn in turns
    )


def _whole_calls(events: list[Event]) -> tuple[Event, ...]:
    """Return the events that belong to completed calls of the agent, in order of step."""
    calls = [number for number, event in enumerate(events) if event.parent is None]
    if not calls:
        return ()
    last, belonging = calls[-1], calls[-1] + 1
    while belonging < len(events) and events[belonging].parent == events[last].step:
        belonging += 1
    return tuple(sorted(events[:belonging], key=lambda event: event.step))
