"""Plays attacks through the real doors of a suite, and sees what came of them.

An attack is played as calls of an agent, before the calls of an honest one in the same episode and amid
those of another. All that the agent is shown is searched for what it must not see, and the interpreter tells
(by its audit events) which files, addresses and programs were reached for meanwhile.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

from tests.protocol import test_conformance as subjects
from tests.protocol.conformance import ROOT, Subject, check_log, check_shown
from tests.reliability.attacks import Attack, Prey

from assay.agents.solver import SolverAgent
from assay.episode import Episode
from assay.episodes.harness import open_episode
from assay.numbers.rng import Stream
from assay.protocol import BlobRef, Brief, Call, Tool
from assay.sessions.assessment import Assessment, assess
from assay.task import file_name

Made = tuple[str, Any]
"""A call of a tool with its arguments."""

Kinds = tuple[str | None, ...]
"""Types of JSON schema, null where none is given."""

SUITES: Mapping[str, Subject] = {
    "petri": subjects.PETRI,
    "causalab": subjects.CAUSALAB,
    "pilab": subjects.PILAB,
    "collider": subjects.COLLIDER,
    "sgi": subjects.WET,
}

HONEST: Mapping[str, str] = {
    "petri": "random",
    "causalab": "committer",
    "pilab": "do-nothing",
    "collider": "flat",
    "sgi": "oracle",
}
"""A cheap solver of each suite that comes to an answer in every set."""

SETS: Sequence[tuple[str, str]] = [
    (suite, folder.name)
    for suite in SUITES
    for folder in sorted((ROOT / "tasks" / suite).iterdir())
    if folder.is_dir()
]
"""Every frozen set."""


def target(suite: str, task_set: str, index: int = 0) -> Subject:
    """One task of a set, with all that is needed to play it; the same object for the same task."""
    return _target(suite, task_set, index)


@cache
def _target(suite: str, task_set: str, index: int) -> Subject:
    base = subjects.RESEARCH if task_set.startswith("research") else SUITES[suite]
    return replace(base, task_set=task_set, indices=(index,), generated={})


# ------------------------------------------------------------ what an attack becomes


def calls_of(attack: Attack, subject: Subject, brief: Brief, prey: Prey) -> list[Made]:
    """The calls with which an agent of this suite makes the attack; none where it has no door for it."""
    payload = prey.fill(attack.payload)
    if attack.form == "text":
        return _everywhere(brief, subject, payload, ("string", None))
    if attack.form == "number":
        return _everywhere(brief, subject, json.loads(payload), ("number", "integer"))
    tools = {tool.name for tool in brief.tools}
    if attack.form == "program" and "run_code" in tools:
        return [("run_code", {"code": f"```python\n{payload}\n```"})]
    if attack.form == "program" and "python" in tools:
        return [("python", {"code": payload})]
    if attack.form == "program" and "run_analysis" in tools:
        script = "analysis/attack.py"
        return [
            ("write_file", {"path": script, "text": payload}),
            ("run_analysis", {"script": script, "inputs": []}),
        ]
    if attack.form == "query" and "query" in tools:
        return [("act", {"tool": "query", "arguments": {"sql": payload}})]
    if attack.form == "record" and "record" in tools:
        return [("record", {"text": text}) for text in _records(payload)]
    if attack.form == "table" and "check_submission" in tools:
        file = subject.tasks[0].public["file"]
        return [("write_file", {"path": file, "text": payload}), ("check_submission", {})]
    if attack.form == "file" and "read_file" in tools:
        return [
            ("write_file", {"path": payload, "text": "x"}),
            ("read_file", {"path": payload}),
            ("run_analysis", {"script": payload, "inputs": [payload]}),
        ]
    return []


def _records(payload: str) -> Iterator[str]:
    """Records of causalab with the payload as equation, as name and as value."""
    nothing: dict[str, Any] = {"edges": [], "freq_equation": "", "coefficients": {}}
    for hypothesis, action in (
        ({**nothing, "freq_equation": payload}, {}),
        ({**nothing, "edges": [{"from": payload, "to": "resonanceFreq"}]}, {}),
        ({**nothing, "coefficients": {payload: payload}}, {}),
        (nothing, {"op": "intervene", "property": payload, "value": payload}),
        (nothing, {"op": "predict", "value": payload}),
    ):
        fields = {"memory": payload, "thought": payload, "past_data": [payload], "hypothesis": hypothesis}
        text = json.dumps({**fields, "experiment": {"a": payload}, **(action or {"op": "look"})})
        yield text[:200_000]


def _everywhere(brief: Brief, subject: Subject, payload: Any, kinds: Kinds) -> list[Made]:
    """Calls that hold the payload in each place of these kinds in turn, and as the name of a tool."""
    made: list[Made] = [] if not isinstance(payload, str) else [(payload, {}), (payload, payload)]
    for tool in brief.tools:
        for arguments in _planted(_example(tool.schema), tool.schema, payload, kinds):
            if tool.audience == "agent":
                made.append((tool.name, arguments))
            elif subject.wrap is not None and isinstance(arguments, dict):
                made.append(subject.wrap(tool.name, arguments))
    for name, arguments in _real_calls(subject):
        made += [(name, planted) for planted in _leaves(arguments, payload)]
    if isinstance(payload, str):
        # Once where no text belongs, and once as an argument that no tool has.
        first: Tool = brief.tools[0]
        example = _example(first.schema)
        made += [(first.name, payload), (first.name, {**example, payload: payload})]
    return made


BUSY: Mapping[str, str] = {"petri": "ofat", "mock-v0": "mock-honest"}
"""Solvers, by suite or set, with calls of many tools: a payload takes the place of each value in them."""


def _real_calls(subject: Subject) -> Sequence[Made]:
    """A call of each tool, as a busy solver makes it."""
    name = BUSY.get(subject.suite.name) or BUSY.get(subject.task_set)
    return _calls_of_solver(subject.suite.name, subject.task_set, subject.indices[0], name) if name else ()


@cache
def _calls_of_solver(suite: str, task_set: str, index: int, name: str) -> Sequence[Made]:
    subject = target(suite, task_set, index)
    made: dict[str, Any] = {}
    for event in subject.play(subject.tasks[0], name).events:
        if (
            event.kind == "call"
            and event.ok
            and len(str(event.arguments)) > len(str(made.get(event.tool, "")))
        ):
            made[event.tool] = event.arguments
    return [(tool, arguments) for tool, arguments in made.items() if tool not in ("submit", "finish")]


def _leaves(value: Any, payload: Any) -> Iterator[Any]:
    """The value with the payload in place of each of its leaves in turn, where these are of its kind."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from ({**value, key: planted} for planted in _leaves(inner, payload))
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from ([*value[:at], planted, *value[at + 1 :]] for planted in _leaves(inner, payload))
    elif isinstance(value, str) == isinstance(payload, str):
        yield payload


def _example(schema: Mapping[str, Any]) -> Any:
    """A small value that fits a schema, with all that may be there."""
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return _example(schema[union][0])
    if "enum" in schema:
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {name: _example(inner) for name, inner in schema.get("properties", {}).items()}
    if kind == "array":
        return [_example(schema.get("items", {}))]
    least = schema.get("minimum", schema.get("exclusiveMinimum", 0) + ("exclusiveMinimum" in schema))
    return {"string": "x", "integer": least, "number": least, "boolean": False}.get(kind or "")


def _planted(value: Any, schema: Mapping[str, Any], payload: Any, kinds: Kinds) -> Iterator[Any]:
    """The value with the payload in each place of these kinds in turn."""
    for union in ("anyOf", "oneOf"):
        if union in schema:
            for option in schema[union]:
                yield from _planted(_example(option), option, payload, kinds)
            return
    kind = schema.get("type")
    every = kind if isinstance(kind, list) else [kind]
    if "object" in every and isinstance(value, dict):
        for name, inner in schema.get("properties", {}).items():
            for planted in _planted(value[name], inner, payload, kinds):
                yield {**value, name: planted}
        more = schema.get("additionalProperties")
        if isinstance(more, Mapping) or (more is None and not schema.get("properties")):
            if isinstance(payload, str):
                yield {**value, payload: _example(more or {"type": "number"})}
            for planted in _planted(_example(more or {}), more or {}, payload, kinds):
                yield {**value, "x": planted}
    elif "array" in every and isinstance(value, list):
        for planted in _planted(value[0], schema.get("items", {}), payload, kinds):
            yield [planted]
    elif any(one in kinds for one in every):
        yield payload


# ------------------------------------------------------------ playing it


@dataclass(frozen=True)
class Hunter:
    """An agent that makes these calls, and then plays on as the honest solver of its suite."""

    subject: Subject
    calls: Sequence[Made]
    honest: bool = True

    def act(self, brief: Brief, call: Call, stream: Stream) -> None:
        for tool, arguments in self.calls:
            call(tool, arguments)
        if self.honest:
            task = self.subject.tasks[0]
            solver = self.subject.suite.room("solvers").SOLVERS[HONEST[self.subject.suite.name]]
            honest = SolverAgent(solver, task, self.subject.materials.blobs)
            honest.act(brief, call, Stream(7))


def hunted(subject: Subject, calls: Sequence[Made], *, honest: bool = True) -> Episode:
    """The episode of a hunter."""
    return subject.play(subject.tasks[0], "hunter", Hunter(subject, calls, honest))


SEES_ATTACKS = frozenset(
    {"calls_of_the_lab", "failed_blocks", "refused_share", "mostly_refused", "asks_for_hidden", "breakout"}
)
"""Metrics and flags of pilab that are there to see an attack: how much was refused, what was tried."""


def worth(subject: Subject, episode: Episode) -> Any:
    """What an episode is worth, and all that a table says of its end: final metrics, flags, answer, status.

    Without what counts the calls themselves.
    """
    found: Assessment = assess(subject.suite, subject.tasks[0], episode, subject.judging_materials())
    metrics = sorted(
        (s.profile, s.metric, s.value, s.label)
        for s in found.scores
        if s.step is None and s.metric not in SEES_ATTACKS
    )
    flags = sorted((f.flag, f.raised) for f in found.flags if f.flag not in SEES_ATTACKS)
    drawn = {name: n for name, n in episode.counters.items() if name != "calls"}
    return metrics, flags, drawn, episode.submission, episode.status, episode.reason


NOTHING: Made = ("act", {"tool": "read_memory", "arguments": {}})
"""In pilab a call through `act` takes its place in the month also where it is refused: as this one would."""


def carried_out(episode: Episode, of: int) -> list[Made]:
    """Those of the first so many calls at the agent's door that were not refused."""
    refused = {event.parent for event in episode.events if event.kind == "code" and not event.ok}
    calls = [event for event in episode.events if event.kind == "call"][:of]
    return [
        NOTHING if event.tool == "act" and event.step in refused else (event.tool, event.arguments)
        for event in calls
        if event.ok
    ]


@dataclass
class Neighbour:
    """An honest episode of another task, half of it played before an attack and half after."""

    subject: Subject
    alone: Episode = field(init=False)

    def __post_init__(self) -> None:
        self.alone = hunted(self.subject, ())

    @contextmanager
    def beside(self) -> Iterator[None]:
        """Play half, let the block run, play the rest: the same episode as alone."""
        calls = [(e.tool, e.arguments) for e in self.alone.events if e.kind == "call"]
        half, subject = len(calls) // 2, self.subject
        with open_episode(subject.suite, subject.tasks[0], "hunter", 0, subject.materials) as opened:
            for call in calls[:half]:
                opened.harness.call(*call)
            yield
            for call in calls[half:]:
                opened.harness.call(*call)
            again = opened.finish(self.alone.reason)
        assert again.log_sha256 == self.alone.log_sha256, "the neighbour's log has changed"
        assert worth(subject, again) == worth(subject, self.alone), "the neighbour's score has changed"


# ------------------------------------------------------------ seeing what it did

_WATCHED: list[tuple[str, tuple[Any, ...]]] | None = None


def _audit(event: str, args: tuple[Any, ...]) -> None:
    if _WATCHED is not None and event in _EVENTS:
        _WATCHED.append((event, args))


_EVENTS = frozenset(
    (
        *(
            "open",
            "os.listdir",
            "os.scandir",
            "os.system",
            "os.exec",
            "os.fork",
            "os.forkpty",
            "os.posix_spawn",
        ),
        *(
            "subprocess.Popen",
            "socket.connect",
            "socket.sendto",
            "socket.getaddrinfo",
            "socket.gethostbyname",
        ),
        *("compile", "pickle.find_class", "os.remove", "os.rename", "os.chmod", "os.putenv", "os.symlink"),
    )
)

sys.addaudithook(_audit)


@dataclass
class Ground:
    """Where attacks are played: secrets in a file and in the environment, a server that must stay alone."""

    place: Path
    secret: str = field(default_factory=lambda: "canary" + secrets.token_hex(12))
    variable: str = field(default_factory=lambda: "canary" + secrets.token_hex(12))

    def __post_init__(self) -> None:
        self._file = self.place / "secret.txt"
        self._file.write_text(self.secret)
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.setblocking(False)
        self._stack = ExitStack()
        self._stack.enter_context(mock.patch.dict(os.environ, {"ASSAY_CANARY": self.variable}))
        self._stack.callback(self._server.close)
        self._before = self._state()

    def prey(self, subject: Subject) -> Prey:
        """What there is to attack at a task."""
        folder, suite = ROOT / "tasks" / subject.suite.name, subject.suite
        return Prey(
            task=str(folder / subject.task_set / file_name(subject.indices[0])),
            other_task=str(next(p for p in sorted(folder.iterdir()) if p.is_dir()) / file_name(1)),
            reference=str(ROOT / "config" / "published" / f"{suite.name}.yaml"),
            scoring=str(sys.modules[suite.room("scoring").__name__].__file__),
            secret=str(self._file),
            port=self._server.getsockname()[1],
            mark=str(self.place / "left-by-an-attack"),
        )

    @contextmanager
    def watched(self, prey: Prey, payload: str) -> Iterator[None]:
        """Fail where the block reaches for what attacks are after, or changes what is around it."""
        global _WATCHED
        _WATCHED = []
        try:
            yield
        finally:
            seen, _WATCHED = _WATCHED, None
        wanted = (prey.task, prey.other_task, prey.reference, prey.secret, "/proc/self/mem", prey.mark)
        for event, args in seen:
            told = f"{event} {str(args)[:300]}"
            if event == "open":
                path = os.fsdecode(args[0]) if isinstance(args[0], str | bytes) else ""
                assert not path.startswith(wanted), f"an attack was followed: {told}"
                assert "environ" not in path and str(ROOT / "recordings") not in path, told
            elif event == "compile":
                source = args[0].decode(errors="replace") if isinstance(args[0], bytes) else args[0]
                compiled = isinstance(source, str) and len(payload) > 12 and payload[:200] in source
                assert not compiled, f"an agent's text is compiled: {told}"
            elif event == "subprocess.Popen":
                assert args[0] in (sys.executable, sys._base_executable), told  # type: ignore[attr-defined]
            elif event == "pickle.find_class":
                assert args[0].startswith("numba."), told  # compiled code that it has kept
            else:
                assert event in ("os.listdir", "os.scandir", "os.remove", "os.rename", "os.chmod"), told
        self._check_around()

    def check_shown(self, subject: Subject, episode: Episode, *, code: bool) -> None:
        """Nothing that the agent saw holds a secret, the truth, a path of this machine or a traceback."""
        check_shown(subject, subject.tasks[0], episode)
        said = ""
        for event in episode.events:
            said += str(event.arguments) + event.tool
            shown = (event.error or "") + "".join(self._text(subject, part) for part in event.parts)
            for name, secret in (("file", self.secret), ("variable", self.variable)):
                assert secret not in shown, f"step {event.step} shows the secret {name}"
            if not code and event.kind != "file":
                assert "Traceback" not in shown, f"step {event.step} shows a traceback"
                assert str(ROOT) not in shown or str(ROOT) in said, f"step {event.step} shows a path"
                assert not re.search(r" at 0x[0-9a-f]{6,}", shown), f"step {event.step} shows an address"

    def _text(self, subject: Subject, part: Any) -> str:
        if isinstance(part, BlobRef):
            return subject.materials.blobs.get(part.sha256).decode(errors="replace")
        return part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)

    def _state(self) -> Any:
        return (
            sorted(path.name for path in ROOT.iterdir()),
            sorted(path.name for path in self.place.iterdir()),
            self._file.read_text(),
            {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")},
            Path.cwd(),
        )

    def _check_around(self) -> None:
        for now, before in zip(self._state(), self._before, strict=True):
            assert now == before, "an attack has changed what is around it"
        try:
            self._server.accept()
        except BlockingIOError:
            return
        raise AssertionError("an attack has reached the server")

    def close(self) -> None:
        self._stack.close()


def check_hunt(subject: Subject, episode: Episode, brief: Brief, calls: Sequence[Made]) -> None:
    """Every call of the attack is in the log, as it was made or as what it was, and told how it ended."""
    assert episode.status != "crashed", episode.reason
    check_log(episode, brief)
    logged = [event for event in episode.events if event.kind == "call"]
    for event, (tool, _) in zip(logged, calls, strict=False):
        assert event.tool == tool.encode(errors="replace").decode()
        assert event.ok or event.error, f"step {event.step} was refused without a word"
