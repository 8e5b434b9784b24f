"""The loop around a model: what a model is shown, and what is made of what it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.agents.scripts import Replies

from assay.agents.fakes import call, sweep
from assay.agents.model import REFUSALS, SCAFFOLD, ModelAgent, Turn, understand
from assay.agents.player import Limits, Player, Price, ToolProtocol
from assay.agents.transport import Conversation, Message, Reply, ToolCall, TransportError
from assay.episodes.harness import AgentStopped
from assay.numbers import rng
from assay.protocol import BlobRef, Brief, Json, Result, Tool, refused

LOOK = Tool(
    "look", {"type": "object", "properties": {"at": {"type": "integer"}}, "required": ["at"]}, "Look."
)
SAY = Tool(
    "say", {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}, "Say."
)
PEEK = Tool("peek", {"type": "object"}, "Peek from code.", audience="code")
PICTURE = BlobRef("ab" * 32, "image/png", 3)
BRIEF = Brief("You look.", ("The task.", PICTURE, {"n": 3}), (LOOK, SAY, PEEK), {"calls": 9})
TALKATIVE = Brief("You look.", ("The task.",), (LOOK, SAY), {}, reply="say")


@dataclass
class World:
    """Takes calls and gives back the results of a list, or always the same."""

    results: list[Result] = field(default_factory=list)
    calls: list[tuple[str, Json]] = field(default_factory=list)

    def call(self, tool: str, arguments: Json) -> Result:
        self.calls.append((tool, arguments))
        return self.results.pop(0) if self.results else Result(("seen",))


@dataclass
class Played:
    transport: Replies
    world: World
    turns: list[Turn]
    stopped: AgentStopped | None


def played(
    replies: Sequence[Reply | str],
    *results: Result,
    brief: Brief = BRIEF,
    limits: Limits | None = None,
    protocol: ToolProtocol = "json",
) -> Played:
    transport, world, turns = Replies(replies), World(list(results)), list[Turn]()
    player = Player({}, limits or Limits(turns=len(replies)), protocol=protocol, price=Price(1.0, 2.0))
    agent = ModelAgent(transport, player, turns.append, lambda: 10.0 * len(turns))
    stopped = None
    try:
        agent.act(brief, world.call, rng.stream(0))
    except AgentStopped as problem:
        stopped = problem
    assert agent.turns == len(turns)
    return Played(transport, world, turns, stopped)


OVER = Result(("over",), ended="done")


def test_a_model_is_told_all_of_its_brief_before_it_speaks() -> None:
    request = played([call("look", at=1)], OVER).transport.requests[0]
    assert request.system.startswith("You look.")
    for words in ("- look: Look.", '"required":["at"]', "- peek: Peek from code.", "calls 9"):
        assert words in request.system
    assert request.system.index(SCAFFOLD["tools"]) < request.system.index("- look")
    assert request.system.index(SCAFFOLD["code_tools"]) < request.system.index("- peek")
    assert [tool.name for tool in request.tools] == ["look", "say"]
    assert list(request.messages) == [Message("user", BRIEF.parts)]
    assert "any other form" not in request.system
    told = played([call("look", at=1)], OVER, brief=TALKATIVE).transport.requests[0].system
    assert "a call of say, with your whole reply as text" in told


def test_results_and_refusals_are_shown() -> None:
    found = played(
        [call("look", at=1), call("look", at=2), call("look", at=3)],
        Result(("seen", PICTURE)),
        refused("too far"),
        OVER,
    )
    messages = found.transport.requests[2].messages
    assert messages[1:] == (
        Message("assistant", (call("look", at=1),)),
        Message("user", ("Result of look:", "seen", PICTURE)),
        Message("assistant", (call("look", at=2),)),
        Message("user", ("The call of look was refused: too far",)),
    )
    assert found.world.calls == [("look", {"at": 1}), ("look", {"at": 2}), ("look", {"at": 3})]
    assert found.stopped is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"tool": "look", "arguments": {"at": 1}}', ToolCall("look", {"at": 1})),
        ('\n {"tool":"look","arguments":{"at":1}}\n', ToolCall("look", {"at": 1})),
        ('```json\n{"tool": "look", "arguments": {"at": 1}}\n```', ToolCall("look", {"at": 1})),
        ('{"why": "I wonder", "tool": "look", "arguments": {"at": 1}}', ToolCall("look", {"at": 1})),
        ('{"tool": "look"}', ToolCall("look", {})),
        ('{"tool": "look", "arguments": [1]}', ToolCall("look", [1])),  # the harness refuses it
        ('{"tool": "nothing", "arguments": {}}', ToolCall("nothing", {})),
        ("", None),
        ("  \n", None),
        ("I look.", None),
        ('I look: {"tool": "look", "arguments": {"at": 1}}', None),
        ('{"tool": "look", "arguments": {"at": 1}', None),
        ('{"tool": "look", "tool": "say", "arguments": {"at": 1}}', None),
        ('{"tool": 1, "arguments": {"at": 1}}', None),
        ('{"arguments": {"at": 1}}', None),
        ('[{"tool": "look", "arguments": {"at": 1}}]', None),
        ('{"tool": "look", "arguments": {"at": NaN}}', None),
        ('{"tool": "look", "arguments": {"at": 1e999}}', None),
        ('{"tool": "look", "arguments": {"at": "\\ud800"}}', None),
        ('{"tool": "look", "arguments": ' + "[" * 100_000, None),
        ('{"tool": "look", "arguments": {"at": ' + "9" * 5000 + "}}", None),
    ],
)
def test_what_is_taken_for_a_call(text: str, expected: ToolCall | None) -> None:
    calls, problem = understand(BRIEF, Reply(text))
    assert calls == (() if expected is None else (expected,))
    assert bool(problem) == (expected is None)
    calls, problem = understand(TALKATIVE, Reply(text))
    if expected is None and text.strip():
        expected = ToolCall("say", {"text": text})
    assert calls == (() if expected is None else (expected,))


def test_a_misunderstanding_is_answered_once_with_what_is_legal() -> None:
    found = played(["I look.", call("look", at=1), "Hm.", "Hm.", call("look", at=2)])
    told = str(found.transport.requests[1].messages[-1].parts[0])
    assert "not one JSON object" in told and "look, say" in told and '{"tool": NAME' in told
    assert "peek" not in told
    assert len(found.turns) == 4
    assert found.stopped is not None and found.stopped.status is None
    assert found.stopped.reason == "two replies in a row were not a call of a tool"
    assert [len(turn.calls) for turn in found.turns] == [0, 1, 0, 0]


def test_an_agent_that_repeats_a_refused_call_is_stopped() -> None:
    no = refused("no")
    same = [call("look", at=1)] * 10
    found = played(same, *[no] * 10)
    assert found.stopped is not None and found.stopped.status is None
    assert found.stopped.reason == f"the same refused call {REFUSALS} times in a row"
    assert len(found.world.calls) == REFUSALS

    changing = [call("look", at=n % 2) for n in range(10)]
    assert len(played(changing, *[no] * 10).world.calls) == 10
    assert len(played(same, no, no, Result(("yes",)), no, no, Result(), *[no] * 4).world.calls) == 9
    assert len(played(same).world.calls) == 10  # what is not refused may be repeated


def test_a_fresh_context_holds_its_first_message_alone() -> None:
    found = played(
        [call("look", at=1), call("look", at=2), call("look", at=3)],
        Result(("seen",)),
        Result(("A new day.", PICTURE), fresh=True),
        OVER,
    )
    first, _, last = found.transport.requests
    assert last.messages == (Message("user", ("A new day.", PICTURE)),)
    assert last.system == first.system
    assert [turn.n for turn in found.turns] == [0, 1, 2]


@pytest.mark.parametrize(
    ("reply", "status"),
    [(Reply("No.", stop="refusal"), "refused"), (Reply('{"to', stop="length"), "truncated")],
)
def test_refused_and_cut_replies_end_the_episode(reply: Reply, status: str) -> None:
    found = played([call("look", at=1), reply])
    assert found.stopped is not None and found.stopped.status == status
    assert found.turns[-1].reply == reply and found.turns[-1].calls == ()
    assert len(found.world.calls) == 1


def test_a_cut_reply_is_not_executed_even_if_it_is_a_call() -> None:
    found = played([Reply(call("look", at=1), stop="length")])
    assert found.world.calls == []


def test_limits_hold_to_the_turn() -> None:
    replies = [call("look", at=n) for n in range(9)]  # 15 tokens each
    for limits, turns, reason in [
        (Limits(turns=3), 3, "more than 3 turns"),
        (Limits(tokens=45), 3, "more than 45 tokens"),
        (Limits(tokens=46), 4, "more than 46 tokens"),
        (Limits(money=40e-6), 2, "more than 4e-05 spent"),  # 20e-6 each
        (Limits(money=41e-6), 3, "more than 4.1e-05 spent"),
        (Limits(seconds=20), 2, "waited for more than 20 seconds"),  # 10 each
    ]:
        found = played(replies, limits=limits)
        assert len(found.turns) == len(found.transport.requests) == turns
        assert found.stopped is not None
        status = "timeout" if limits.seconds else "budget"
        assert (found.stopped.status, found.stopped.reason) == (status, reason)


def test_a_lost_connection_stops_the_agent() -> None:
    class Lost:
        def ask(self, request: Any) -> Reply:
            raise TransportError("the connection was lost")

    with pytest.raises(AgentStopped) as caught:
        ModelAgent(Lost(), Player({}), list[Turn]().append).act(BRIEF, World().call, rng.stream(0))
    assert (caught.value.status, caught.value.reason) == ("transport", "the connection was lost")


def test_native_calls_are_made_in_order_and_answered_by_their_id() -> None:
    asked = (ToolCall("look", {"at": 1}, "a"), ToolCall("look", {"at": 2}, "b"))
    found = played([Reply("I look.", asked), call("look", at=3)], Result(("one",)), Result(("two",)), OVER)
    assert found.world.calls[:2] == [("look", {"at": 1}), ("look", {"at": 2})]
    assert found.turns[0].calls == asked
    assert found.transport.requests[1].messages[1:] == (
        Message("assistant", ("I look.",), asked),
        Message("tool", ("Result of look:", "one"), id="a"),
        Message("tool", ("Result of look:", "two"), id="b"),
    )


def test_a_model_with_native_calls_is_told_of_no_other_form() -> None:
    found = played(["I look.", Reply("", (ToolCall("look", {"at": 1}, "a"),))], OVER, protocol="native")
    told = found.transport.requests[0].system
    assert told.startswith("You look.") and SCAFFOLD["native"] in told
    assert "JSON object" not in told and "- look" not in told and "- peek: Peek from code." in told
    assert [tool.name for tool in found.transport.requests[0].tools] == ["look", "say"]
    answer = str(found.transport.requests[1].messages[-1].parts[0])
    assert "called no tool" in answer and "JSON" not in answer
    assert found.world.calls == [("look", {"at": 1})]


def test_calls_after_the_end_or_a_fresh_context_are_not_made() -> None:
    asked = tuple(ToolCall("look", {"at": n}, str(n)) for n in range(3))
    assert len(played([Reply("", asked)], Result(), OVER).world.calls) == 2
    found = played([Reply("", asked), call("look", at=9)], Result(("day",), fresh=True), OVER)
    assert found.world.calls == [("look", {"at": 0}), ("look", {"at": 9})]


def test_what_no_log_can_hold_is_made_harmless() -> None:
    asked = (ToolCall("l\ud800k", {"at": float("nan")}, "a"), ToolCall("look", {"at": "\udfff"}, "b"))
    found = played([Reply("\ud83d!", asked), call("look", at=3)], refused("no"), refused("no"), OVER)
    assert found.turns[0].reply.text == "?!"
    assert found.world.calls[0][0] == "l?k"
    assert all(not isinstance(arguments, dict) for _, arguments in found.world.calls[:2])


def test_replies_survive_their_json_form() -> None:
    reply = Reply("text", (ToolCall("look", {"at": 1}, "a"), ToolCall("say", {})), "length", 7, 9)
    assert Reply.from_json(reply.to_json(), {"tokens_in": 7, "tokens_out": 9}) == reply


def test_the_hash_of_a_request_is_of_all_that_is_shown() -> None:
    def sha256(system: str, tools: tuple[Tool, ...], *messages: Message) -> str:
        talk = Conversation(system, tools)
        for message in messages:
            talk.add(message)
        return talk.request().sha256

    one, two = Message("user", ("1",)), Message("assistant", ("2",))
    hashes = [
        sha256("s", (LOOK,), one, two),
        sha256("t", (LOOK,), one, two),
        sha256("s", (SAY,), one, two),
        sha256("s", (LOOK, SAY), one, two),
        sha256("s", (LOOK,), one),
        sha256("s", (LOOK,), two, one),
        sha256("s", (LOOK,), Message("user", ("1", "2"))),
        sha256("s", (LOOK,), one, Message("user", ("2",))),
        sha256("s", (LOOK,), one, Message("assistant", ("2",), (ToolCall("look", {}),))),
        sha256("s", (LOOK,), one, Message("assistant", ("2",), id="a")),
        sha256("s", (LOOK,), one, Message("assistant", (PICTURE,))),
    ]
    assert len(set(hashes)) == len(hashes)
    assert hashes[0] == sha256("s", (LOOK,), one, two)


def test_the_sweep_makes_calls_that_fit_their_schema() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "integer", "minimum": 3, "maximum": 5},
            "b": {"type": "number", "minimum": -1, "maximum": 1},
            "c": {"type": "string"},
            "d": {"enum": ["x", "y"]},
            "e": {"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 2},
            "f": {"anyOf": [{"type": "null"}, {"const": 7}]},
            "g": {"type": ["object", "null"], "properties": {}},
            "unused": {"type": "string"},
        },
        "required": ["a", "b", "c", "d", "e", "f", "g"],
    }
    tool = Tool("try", schema, "Try.")
    request = Conversation("", (tool,)).request()
    made = [understand(BRIEF, Reply(sweep(request, rng.stream(n))))[0] for n in range(200)]
    calls = [calls[0].arguments for calls in made if calls]
    assert 150 < len(calls) < 200  # now and then it only talks
    for arguments in calls:
        Draft202012Validator(schema).validate(arguments)
    assert {arguments["a"] for arguments in calls} == {3, 4, 5}
    assert {arguments["d"] for arguments in calls} == {"x", "y"}
