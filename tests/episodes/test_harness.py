"""The door between agent and world: what is let through, what is charged, what is logged, how it ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

import pytest

from assay.episode import Episode, Event
from assay.episodes import harness
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import INLINE_TEXT, MOST_CALLS, AgentStopped, play
from assay.numbers.rng import Stream
from assay.protocol import (
    BlobRef,
    Brief,
    Call,
    Door,
    Key,
    Materials,
    Result,
    Tool,
    Workspace,
    refused,
)
from assay.suite import Suite
from assay.task import Task

SECRET = "the-hidden-truth"
TASK = Task("small", "s", "t", 1, 1, {}, {}, {"secret": SECRET})


def tool(name: str, properties: Mapping[str, Any] | None = None, **more: Any) -> Tool:
    schema = {
        "type": "object",
        "properties": dict(properties or {}),
        "required": sorted(properties or {}),
        "additionalProperties": False,
    }
    return Tool(name, schema, name, **more)


AMOUNT = {"type": "integer", "minimum": 1, "maximum": 9, "description": "a whole number from 1 to 9"}
TOOLS = (
    tool("echo", {"value": {}}),
    tool("pay", {"amount": AMOUNT}, counter="coin"),
    tool("block", {"tools": {"type": "array"}}, replay="given"),
    tool("inner", {"value": {}}, audience="code"),
    tool("deep", {"tools": {"type": "array"}}, audience="code", replay="given"),
    tool("cheat", replay="exact"),
    tool("burst"),
    tool("burst_inside", audience="code"),
    tool("write", {"path": {"type": "string"}, "text": {"type": "string"}}),
    tool("give", {"what": {"type": "string"}}),
    tool("end", {"how": {"type": "string"}}),
)

Give = Callable[[], Result]


@dataclass
class Small:
    """A world of one-line tools; `given` are results that the tool `give` hands out."""

    workspace: Workspace
    limits: dict[str, int]
    given: dict[str, Give]
    last: Any = None
    calls: list[str] = field(default_factory=list)
    closed: bool = False
    final: Callable[[Any], Any] = lambda last: last

    def brief(self) -> Brief:
        return Brief("", (), TOOLS, self.limits)

    def call(self, name: str, arguments: Any, door: Door) -> Result:
        self.calls.append(name)
        result: Result = getattr(self, name)(door, **arguments)
        return result

    def submission(self) -> Any:
        return self.final(self.last)

    def close(self) -> None:
        self.closed = True

    def echo(self, door: Door, value: Any) -> Result:
        self.last = value
        return Result((value,))

    def pay(self, door: Door, amount: int) -> Result:
        return refused("pay: amount: not on Sundays") if amount == 7 else Result(("paid",), charged=amount)

    def block(self, door: Door, tools: list[Any]) -> Result:
        def run(call: Call) -> Any:
            results = [call(name, arguments) for name, arguments in tools]
            return [result.parts[0] if result.ok else result.error for result in results]

        return Result((door.outside(run),))

    deep = block

    def inner(self, door: Door, value: Any) -> Result:
        return Result((f"inner {value}",))

    def cheat(self, door: Door) -> Result:
        return Result((door.outside(lambda call: 1),))

    def burst(self, door: Door) -> Result:
        raise RuntimeError(SECRET)

    burst_inside = burst

    def write(self, door: Door, path: str, text: str) -> Result:
        file = self.workspace.path / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return Result()

    def give(self, door: Door, what: str) -> Result:
        return self.given[what]()

    def end(self, door: Door, how: Any) -> Result:
        return Result(("over",), ended=how)


class NoArtefacts:
    def get(self, key: Key) -> Any:
        raise AssertionError("the small world needs no artefacts")


@dataclass(frozen=True)
class SmallSuite(Suite):
    """A suite of one room, given as an object."""

    world: Any = None

    def room(self, room: str) -> ModuleType:
        assert room == "world"
        module = ModuleType("world")
        module.open = self.world
        return module


@dataclass
class Play:
    """What came of an episode."""

    episode: Episode
    world: Small
    results: list[Result]
    blobs: MemoryBlobs
    seen: list[Event]

    @property
    def only(self) -> Event:
        (event,) = self.episode.events
        return event

    @property
    def errors(self) -> list[str | None]:
        return [result.error for result in self.results]


def run(
    *calls: tuple[str, Any] | Callable[[Call], Any],
    limits: dict[str, int] | None = None,
    given: dict[str, Give] | None = None,
    final: Callable[[Any], Any] | None = None,
    outside: Any = None,
) -> Play:
    """Play calls in order; a function instead of a call gets the harness's own."""
    worlds: list[Small] = []
    results: list[Result] = []
    seen: list[Event] = []
    blobs = MemoryBlobs()

    def open_world(task: Task, materials: Materials, workspace: Workspace, stream: Stream) -> Small:
        worlds.append(Small(workspace, limits or {}, given or {}))
        if final is not None:
            worlds[0].final = final
        return worlds[0]

    class Caller:
        def act(self, brief: Brief, call: Call, stream: Stream) -> None:
            for one in calls:
                if callable(one):
                    one(call)
                else:
                    results.append(call(*one))

    episode = play(
        SmallSuite("small", "small", open_world),
        TASK,
        "caller",
        Caller(),
        0,
        Materials(blobs, NoArtefacts()),
        log=seen.append,
        outside=outside,
    )
    return Play(episode, worlds[0], results, blobs, seen)


# ------------------------------------------------------------ what is let through


def test_a_call_is_one_event() -> None:
    played = run(("echo", {"value": {"b": 1, "a": [None, True]}}))
    assert played.only == Event(
        step=0,
        parent=None,
        kind="call",
        tool="echo",
        arguments={"value": {"a": [None, True], "b": 1}},
        parts=({"a": [None, True], "b": 1},),
        ok=True,
        error=None,
        charged=0,
    )
    assert played.episode.counters == {"calls": 1, "coin": 0}
    assert played.world.closed


@pytest.mark.parametrize("name", ["nothing", "inner", "brief", "_tools", "", "e" * 10**6, "\ud800"])
def test_an_unknown_tool_is_named_with_those_there_are(name: str) -> None:
    played = run((name, {}))
    assert played.world.calls == []
    (error,) = played.errors
    assert error is not None
    assert error.startswith("unknown tool")
    assert error.endswith("the tools are echo, pay, block, cheat, burst, write, give, end")
    assert len(error) < 300
    assert len(played.episode.log_sha256) == 64  # the log can be written down whatever the name was


def test_a_block_cannot_call_what_is_meant_for_the_agent() -> None:
    played = run(("block", {"tools": [["echo", {"value": 1}], ["inner", {"value": 1}]]}))
    (result,) = played.results
    assert result.parts == (["unknown tool 'echo'; the tools are inner, deep, burst_inside", "inner 1"],)
    assert played.world.calls == ["block", "inner"]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({}, "'amount' is a required property"),
        ({"amount": "many"}, "pay: amount: 'many' is not of type 'integer' (a whole number from 1 to 9)"),
        ({"amount": 0}, "pay: amount: 0 is less than the minimum of 1 (a whole number from 1 to 9)"),
        ({"amount": 1, "tip": 2}, "'tip' was unexpected"),
        ([1], "pay: arguments: [1] is not of type 'object'"),
        (None, "is not of type 'object'"),
        ({"amount": ["x" * 10_000]}, "..."),
    ],
)
def test_wrong_arguments_are_explained(arguments: Any, named: str) -> None:
    played = run(("pay", arguments))
    (error,) = played.errors
    assert error is not None
    assert named in error
    assert len(error) < 400
    assert played.world.calls == []
    assert played.only.charged == 0
    assert not played.only.ok
    assert played.only.arguments == arguments


def circular() -> Any:
    value: list[Any] = []
    value.append(value)
    return value


def nested(depth: int) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        math.inf,
        -math.inf,
        {1, 2},
        b"bytes",
        object(),
        "\ud800",
        10**5000,
        circular(),
        nested(10**5),
    ],
    ids=["nan", "inf", "-inf", "set", "bytes", "object", "half a pair", "huge", "circular", "deep"],
)
def test_what_is_not_json_is_refused(value: Any) -> None:
    played = run(("echo", {"value": value}))
    assert played.errors == ["the arguments of echo must be a JSON object with finite numbers"]
    assert played.world.calls == []
    assert played.only.arguments == {"not_json": "dict"}
    assert len(played.episode.log_sha256) == 64


# ------------------------------------------------------------ what is charged


def test_charges_add_up_and_a_refusal_by_the_world_costs_nothing() -> None:
    played = run(*(("pay", {"amount": n}) for n in (2, 7, 3)), limits={"coin": 9})
    assert played.episode.counters == {"calls": 3, "coin": 5}
    assert [event.charged for event in played.episode.events] == [2, 0, 3]
    assert played.errors == [None, "pay: amount: not on Sundays", None]


def test_a_spent_budget_runs_nothing_and_charges_nothing() -> None:
    played = run(*(("pay", {"amount": n}) for n in (2, 1, 1)), ("echo", {"value": 1}), limits={"coin": 3})
    assert played.errors == [None, None, "the budget is spent: all 3 of the counter 'coin' are used", None]
    assert played.world.calls == ["pay", "pay", "echo"]
    assert played.episode.counters == {"calls": 4, "coin": 3}
    assert played.episode.status == "done"


def test_nested_calls_draw_on_no_calls_of_the_agent() -> None:
    played = run(("block", {"tools": [["inner", {"value": n}] for n in range(5)]}), limits={"calls": 1})
    assert played.episode.counters["calls"] == 1
    assert len(played.episode.events) == 7


def test_the_limit_of_calls_ends_the_episode() -> None:
    reached: list[str] = []
    played = run(
        ("echo", {"value": 1}),
        ("pay", {}),
        ("echo", {"value": 2}),
        lambda _: reached.append("after"),
        limits={"calls": 2},
    )
    assert (played.episode.status, played.episode.reason) == ("budget", "more than 2 calls")
    assert played.episode.submission == 1
    assert len(played.episode.events) == played.episode.counters["calls"] == 2
    assert reached == []


def test_without_a_limit_of_its_own_a_brief_has_one() -> None:
    def forever(call: Call) -> None:
        while True:
            call("none", {})

    played = run(forever)
    assert played.episode.status == "budget"
    assert played.episode.counters["calls"] == MOST_CALLS


def test_a_block_cannot_fill_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "MOST_EVENTS", 6)
    played = run(("block", {"tools": [["inner", {"value": n}] for n in range(9)]}), ("echo", {"value": 1}))
    assert (played.episode.status, played.episode.reason) == ("budget", "more than 6 events")
    assert [(e.kind, e.ok) for e in played.episode.events] == [
        ("call", False),
        ("outside", False),
        *[("code", True)] * 4,
    ]
    assert played.episode.events[0].error == "the episode ended within this call"


def test_an_agent_that_does_not_notice_the_end_is_stopped() -> None:
    calls = []

    def forever(call: Call) -> None:
        while True:
            calls.append(call("echo", {"value": 1}))

    played = run(("end", {"how": "collapsed"}), forever)
    assert played.episode.status == "collapsed"
    assert len(calls) == harness.MOST_LATE_CALLS
    assert not any(result.ok for result in calls)


# ------------------------------------------------------------ what is logged


def test_later_changes_of_arguments_and_results_reach_neither_log_nor_world() -> None:
    value = {"n": [1]}
    held: list[Any] = [[1]]

    def spoil(call: Call) -> None:
        echoed: Any = call("echo", {"value": value}).parts[0]
        value["n"].append(2)
        echoed["n"].append(3)
        shown: Any = call("give", {"what": "held"}).parts[0]
        shown.append(4)
        held[0].append(5)
        assert shown == [1, 4]

    played = run(spoil, given={"held": lambda: Result((held[0],))})
    assert [event.parts for event in played.episode.events] == [({"n": [1]},), ([1],)]
    assert played.episode.submission == {"n": [1]}
    assert held == [[1, 5]]


def test_a_long_text_becomes_a_content_by_hash_and_the_agent_sees_it_whole() -> None:
    short, long = "é" * (INLINE_TEXT // 2), "é" * (INLINE_TEXT // 2) + "x"
    played = run(("echo", {"value": short}), ("echo", {"value": long}))
    assert [result.parts[0] for result in played.results] == [short, long]
    first, second = (event.parts[0] for event in played.episode.events)
    assert first == short
    assert isinstance(second, BlobRef)
    assert (second.size, second.media_type) == (len(long.encode()), "text/plain")
    assert played.blobs.get(second.sha256) == long.encode()


def test_a_changed_file_is_an_event_below_its_call() -> None:
    def write(path: str, text: str) -> tuple[str, Any]:
        return "write", {"path": path, "text": text}

    played = run(write("b", "1"), write("a/c", "2"), write("b", "1"), write("b", "3"))
    files = [event for event in played.episode.events if event.kind == "file"]
    assert [(e.step, e.parent, e.tool, e.arguments) for e in files] == [
        (1, 0, "write", {"path": "b"}),
        (3, 2, "write", {"path": "a/c"}),
        (6, 5, "write", {"path": "b"}),
    ]
    refs = [part for event in files for part in event.parts if isinstance(part, BlobRef)]
    assert [played.blobs.get(ref.sha256) for ref in refs] == [b"1", b"2", b"3"]


def test_the_workspace_goes_with_the_episode() -> None:
    played = run(("write", {"path": "a", "text": ""}))
    assert not played.world.workspace._path.exists()


def test_a_block_within_a_block() -> None:
    inner = ["deep", {"tools": [["inner", {"value": 1}]]}]
    played = run(("block", {"tools": [inner, ["inner", {"value": 2}]]}))
    assert [(e.step, e.parent, e.kind, e.tool) for e in played.episode.events] == [
        (0, None, "call", "block"),
        (1, 0, "outside", "block"),
        (2, 1, "code", "deep"),
        (3, 2, "outside", "deep"),
        (4, 3, "code", "inner"),
        (5, 1, "code", "inner"),
    ]
    assert played.results[0].parts == ([["inner 1"], "inner 2"],)


def test_the_log_sees_children_before_their_parents() -> None:
    played = run(("block", {"tools": [["inner", {"value": 1}]]}), ("echo", {"value": 1}))
    assert [event.step for event in played.seen] == [2, 1, 0, 3]
    assert sorted(played.seen, key=lambda event: event.step) == list(played.episode.events)


def test_what_is_outside_can_be_put_in_its_place() -> None:
    made: list[str] = []

    def recorded(run: Callable[[Call], Any], call: Call) -> Any:
        made.append(call("inner", {"value": "again"}).parts[0])
        return "as recorded"

    played = run(("block", {"tools": [["inner", {"value": 1}]]}), outside=recorded)
    assert played.results[0].parts == ("as recorded",)
    assert made == ["inner again"]
    assert [(e.kind, e.parts) for e in played.episode.events[1:]] == [
        ("outside", ("as recorded",)),
        ("code", ("inner again",)),
    ]


def test_only_a_tool_that_says_so_may_ask_outside() -> None:
    played = run(("cheat", {}))
    assert (played.episode.status, played.episode.reason) == ("crashed", "TypeError in the tool cheat")


def test_calls_after_the_end_are_refused_and_not_logged() -> None:
    played = run(("end", {"how": "done"}), ("echo", {"value": 1}), ("echo", {"value": 2}))
    assert played.errors == [None, "the episode is over", "the episode is over"]
    assert played.world.calls == ["end"]
    assert len(played.episode.events) == played.episode.counters["calls"] == 1


def test_a_fresh_context_is_passed_on() -> None:
    played = run(("give", {"what": "morning"}), given={"morning": lambda: Result(("Good day.",), fresh=True)})
    assert played.results == [Result(("Good day.",), fresh=True)]


# ------------------------------------------------------------ how it ends


@pytest.mark.parametrize("how", ["done", "collapsed", "invalid", "timeout"])
def test_the_world_ends_the_episode(how: str) -> None:
    played = run(("echo", {"value": 5}), ("end", {"how": how}))
    assert (played.episode.status, played.episode.reason, played.episode.submission) == (how, "", 5)
    assert played.results[1].ended == how


def test_an_agent_that_stops_is_done_with_what_it_has() -> None:
    assert run(("echo", {"value": 0})).episode.status == "done"
    assert run(("echo", {"value": None})).episode.status == "no_submission"
    assert run().episode.status == "no_submission"


def test_a_crash_of_the_world_ends_the_episode_and_tells_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    reached: list[str] = []
    played = run(("echo", {"value": 1}), ("burst", {}), lambda _: reached.append("after"))
    assert (played.episode.status, played.episode.reason) == ("crashed", "RuntimeError in the tool burst")
    assert reached == []
    assert played.episode.events[1].error == "the world crashed"
    assert SECRET not in repr(played.episode)
    assert SECRET in capsys.readouterr().err  # who mends the world needs the traceback
    assert played.world.closed


def test_a_crash_within_a_block_leaves_a_whole_log() -> None:
    played = run(
        ("block", {"tools": [["inner", {"value": 1}], ["burst_inside", {}], ["inner", {"value": 2}]]})
    )
    assert (played.episode.status, played.episode.reason) == (
        "crashed",
        "RuntimeError in the tool burst_inside",
    )
    assert [(e.step, e.parent, e.kind, e.ok) for e in played.episode.events] == [
        (0, None, "call", False),
        (1, 0, "outside", False),
        (2, 1, "code", True),
        (3, 1, "code", False),
    ]


@pytest.mark.parametrize("wrong", [math.nan, {1, 2}, "\ud800"], ids=["nan", "set", "half a pair"])
def test_a_result_that_is_not_json_is_a_crash_of_the_world(wrong: Any) -> None:
    played = run(("give", {"what": "wrong"}), given={"wrong": lambda: Result((wrong,))})
    assert played.episode.status == "crashed"
    assert played.episode.reason.endswith("in the tool give")
    assert played.only.error == "the world crashed"
    assert len(played.episode.log_sha256) == 64


@pytest.mark.parametrize("wrong", [lambda last: math.nan, lambda last: last["x"]], ids=["nan", "error"])
def test_a_submission_that_cannot_be_had_is_a_crash(wrong: Callable[[Any], Any]) -> None:
    played = run(("echo", {"value": 1}), ("end", {"how": "done"}), final=wrong)
    assert played.episode.status == "crashed"
    assert played.episode.reason in ("ValueError in the submission", "TypeError in the submission")
    assert played.episode.submission is None
    assert played.world.closed


def test_a_crash_of_the_agent_is_told_from_one_of_the_world() -> None:
    def stumble(call: Call) -> None:
        raise LookupError(SECRET)

    played = run(("echo", {"value": 1}), stumble)
    assert (played.episode.status, played.episode.reason) == ("crashed", "LookupError in the agent")
    assert SECRET not in repr(played.episode)


def test_an_interruption_is_no_ending() -> None:
    def interrupt(call: Call) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(interrupt)


def test_an_agent_may_have_to_stop() -> None:
    def stop(call: Call) -> None:
        raise AgentStopped("truncated", "the answer was cut")

    played = run(("echo", {"value": 1}), stop)
    assert (played.episode.status, played.episode.reason) == ("truncated", "the answer was cut")
    assert played.episode.submission == 1


def test_the_first_end_counts() -> None:
    def stop(call: Call) -> None:
        raise AgentStopped("transport", "connection lost")

    played = run(("end", {"how": "collapsed"}), stop)
    assert (played.episode.status, played.episode.reason) == ("collapsed", "")


def test_a_nested_call_can_end_the_episode_and_the_agent_learns_it() -> None:
    @contextmanager
    def ending() -> Iterator[None]:
        original = Small.inner
        Small.inner = lambda self, door, value: Result(("dark",), ended="collapsed")
        yield
        Small.inner = original

    with ending():
        played = run(("block", {"tools": [["inner", {"value": 1}], ["inner", {"value": 2}]]}))
    assert played.episode.status == "collapsed"
    assert played.results[0].ended == "collapsed"
    assert played.results[0].parts == (["dark", "the episode is over"],)
    assert len([event for event in played.episode.events if event.kind == "code"]) == 1


# ------------------------------------------------------------ streams


def test_world_and_agent_have_streams_of_their_own() -> None:
    drawn: dict[str, int] = {}

    def first_bits(name: str, attempt: int, task: Task) -> tuple[int, int]:
        def open_world(task: Task, materials: Materials, workspace: Workspace, stream: Stream) -> Small:
            drawn["world"] = stream.bits()
            return Small(workspace, {}, {})

        class Drawer:
            def act(self, brief: Brief, call: Call, stream: Stream) -> None:
                drawn["agent"] = stream.bits()

        materials = Materials(MemoryBlobs(), NoArtefacts())
        play(SmallSuite("small", "small", open_world), task, name, Drawer(), attempt, materials)
        return drawn["world"], drawn["agent"]

    world, agent = first_bits("a", 0, TASK)
    assert first_bits("a", 0, TASK) == (world, agent)
    assert first_bits("b", 0, TASK) == (world, first_bits("b", 0, TASK)[1])
    assert len({agent, first_bits("b", 0, TASK)[1], first_bits("a", 1, TASK)[1]}) == 3
    # A model must not learn anything from its stream about a private seed.
    other = first_bits("a", 0, replace(TASK, seed=2))
    assert other[0] != world
    assert other[1] == agent
