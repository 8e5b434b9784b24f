"""The one loop around a language model, the same for every suite.

A model is told what the suite says, the tools and how to call them: with its provider's native tool calls,
or with one JSON object a reply, or in plain text where the suite names a tool that takes it. What the loop
itself says to a model is the *scaffold*; its hash is in every recording, so that no two versions of it are
ever compared unnoticed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from assay import canonical, surrogates
from assay.agents.player import Player
from assay.agents.transport import Conversation, Message, Reply, ToolCall, Transport, TransportError
from assay.episodes.harness import AgentStopped
from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Part, Result, Tool

SCAFFOLD_VERSION = 1
"""Raised when the loop acts differently although its words are the same."""

SCAFFOLD = {
    "json": "You act by calling tools, one call in each reply. A reply is one JSON object and nothing "
    'else: {"tool": NAME, "arguments": {...}}',
    "native": "You act by calling tools. A reply without a call does nothing.",
    "reply": "A reply in any other form is taken as a call of {tool}, with your whole reply as {argument}.",
    "tools": "The tools, each with the JSON schema of its arguments:",
    "code_tools": "Inside code that you run, these can be called:",
    "tool": "- {name}: {doc}\n  {schema}",
    "limits": "The most that you may use: {limits}.",
    "result": "Result of {tool}:",
    "refused": "The call of {tool} was refused: {error}",
    "misunderstood": "Your reply was not a call of a tool ({problem}). The tools are {tools}. Reply with one "
    'JSON object and nothing else: {{"tool": NAME, "arguments": {{...}}}}',
    "no_call": "Your reply called no tool. The tools are {tools}. Reply with a call of one of them.",
}
"""All that the loop says to a model in its own words."""

SCAFFOLD_SHA256 = canonical.digest([SCAFFOLD_VERSION, SCAFFOLD])
"""sha256 (hex) of the scaffold: its version and its words."""

REFUSALS = 3
"""An agent that makes the same refused call this often in a row learns nothing from it and is stopped."""

NOT_JSON = "not JSON: a number that is not finite, or half a character"
"""What stands for native arguments that no log can hold; every tool refuses it."""


@dataclass(frozen=True)
class Turn:
    """One reply, what it answers, and the calls that were taken from it; `n` counts from 0."""

    n: int
    request_sha256: str
    reply: Reply
    calls: tuple[ToolCall, ...]


@dataclass
class ModelAgent:
    """A model at the harness; `note` sees each turn before its calls are made, for recordings.

    `waited` gives the seconds for which the model was waited for so far, by whatever clock.
    """

    transport: Transport
    player: Player
    note: Callable[[Turn], None]
    waited: Callable[[], float] = lambda: 0.0
    turns: int = field(default=0, init=False)
    tokens_in: int = field(default=0, init=False)
    tokens_out: int = field(default=0, init=False)

    def act(self, brief: Brief, call: Call, stream: Stream) -> None:
        """Play one episode; `AgentStopped` where the model or a limit ends it."""
        talk = self._begin(brief, brief.parts)
        misunderstood = False
        refusals: list[str] = []
        while True:
            reply, calls, problem = self._turn(brief, talk)
            talk.add(Message("assistant", (reply.text,), reply.calls))
            if problem:
                if misunderstood:
                    raise AgentStopped(None, "two replies in a row were not a call of a tool")
                names = ", ".join(tool.name for tool in _of(brief, "agent"))
                words = SCAFFOLD["misunderstood" if self.player.protocol == "json" else "no_call"]
                talk.add(Message("user", (words.format(problem=problem, tools=names),)))
            misunderstood = bool(problem)
            for asked in calls:
                result = call(asked.tool, asked.arguments)
                if result.ended is not None:
                    return
                if result.fresh:
                    talk = self._begin(brief, result.parts)
                    break
                talk.add(_answer(asked, result))
                made = canonical.dumps([asked.tool, asked.arguments])
                refusals = [] if result.ok else [*(r for r in refusals if r == made), made]
                if len(refusals) == REFUSALS:
                    raise AgentStopped(None, f"the same refused call {REFUSALS} times in a row")

    def _turn(self, brief: Brief, talk: Conversation) -> tuple[Reply, tuple[ToolCall, ...], str]:
        """The next reply, the calls in it, and why there are none where it was not understood."""
        limits = self.player.limits
        if self.turns >= limits.turns:
            raise AgentStopped("budget", f"more than {limits.turns} turns")
        if self.tokens_in + self.tokens_out >= limits.tokens:
            raise AgentStopped("budget", f"more than {limits.tokens} tokens")
        if limits.money is not None and self.player.price.of(self.tokens_in, self.tokens_out) >= limits.money:
            raise AgentStopped("budget", f"more than {limits.money:g} spent")
        if limits.seconds is not None and self.waited() >= limits.seconds:
            raise AgentStopped("timeout", f"waited for more than {limits.seconds:g} seconds")
        request = talk.request()
        try:
            reply = writable(self.transport.ask(request))
        except TransportError as problem:
            raise AgentStopped("transport", str(problem)) from problem
        calls, misunderstanding = understand(brief, reply) if reply.stop == "end" else ((), "")
        self.note(Turn(self.turns, request.sha256, reply, calls))
        self.turns += 1
        self.tokens_in += reply.tokens_in
        self.tokens_out += reply.tokens_out
        if reply.stop == "refusal":
            raise AgentStopped("refused", "the model declined to answer")
        if reply.stop == "length":
            raise AgentStopped("truncated", "the model's reply was cut")
        return reply, calls, misunderstanding

    def _begin(self, brief: Brief, parts: tuple[Part, ...]) -> Conversation:
        """A conversation in which a model has read all that it is told, and `parts` as the first message."""
        talk = Conversation("\n\n".join(self._system(brief)), _of(brief, "agent"))
        talk.add(Message("user", parts))
        return talk

    def _system(self, brief: Brief) -> list[str]:
        native = self.player.protocol == "native"
        words = [brief.system, SCAFFOLD[self.player.protocol]]
        if brief.reply is not None:
            tool = next(tool for tool in brief.tools if tool.name == brief.reply)
            words.append(SCAFFOLD["reply"].format(tool=tool.name, argument=_text_argument(tool)))
        for audience, title in (("agent", "tools"), ("code", "code_tools")):
            # A provider shows native tools to its model itself.
            if (tools := _of(brief, audience)) and not (native and audience == "agent"):
                words.append("\n".join([SCAFFOLD[title], *map(_describe, tools)]))
        if brief.limits:
            listed = ", ".join(f"{name} {most}" for name, most in sorted(brief.limits.items()))
            words.append(SCAFFOLD["limits"].format(limits=listed))
        return words


def understand(brief: Brief, reply: Reply) -> tuple[tuple[ToolCall, ...], str]:
    """The calls that a reply asks for, or what keeps it from being one."""
    if reply.calls:
        return reply.calls, ""
    call = _json_call(reply.text)
    if isinstance(call, ToolCall):
        return (call,), ""
    if brief.reply is not None and reply.text.strip():
        tool = next(tool for tool in brief.tools if tool.name == brief.reply)
        return (ToolCall(tool.name, {_text_argument(tool): reply.text}),), ""
    return (), call


def _json_call(text: str) -> ToolCall | str:
    """The call in a JSON object, alone or in a fence; or what is wrong with it."""
    text = text.strip()
    if text.startswith("```") and text.endswith("```") and "\n" in text:
        text = text[text.index("\n") : -3].strip()
    if not text:
        return "it was empty"
    try:
        value = canonical.loads(text)
        canonical.dumps(value).encode()
    except (ValueError, RecursionError):
        return "it was not one JSON object"
    if not isinstance(value, dict) or not isinstance(value.get("tool"), str):
        return 'it was not a JSON object with the key "tool"'
    return ToolCall(value["tool"], value.get("arguments", {}))


def _text_argument(tool: Tool) -> str:
    """The argument that takes a reply in plain text: the only one that the tool requires."""
    (name,) = tool.schema["required"]
    return str(name)


def writable(reply: Reply) -> Reply:
    """The reply as a log can hold it: halves of characters become question marks."""
    calls = tuple(
        replace(c, tool=surrogates.replace(c.tool), arguments=_json(c.arguments)) for c in reply.calls
    )
    return replace(reply, text=surrogates.replace(reply.text), calls=calls)


def _json(arguments: Any) -> Any:
    try:
        return canonical.loads(canonical.dumps(arguments).encode())
    except (TypeError, ValueError, RecursionError):
        return NOT_JSON


def _describe(tool: Tool) -> str:
    schema = canonical.dumps(dict(tool.schema))
    return SCAFFOLD["tool"].format(name=tool.name, doc=tool.doc, schema=schema)


def _of(brief: Brief, audience: str) -> tuple[Tool, ...]:
    return tuple(tool for tool in brief.tools if tool.audience == audience)


def _answer(asked: ToolCall, result: Result) -> Message:
    """What a model is shown of a result."""
    template = SCAFFOLD["result" if result.ok else "refused"]
    words = template.format(tool=asked.tool[:100], error=result.error)
    return Message("user" if asked.id is None else "tool", (words, *result.parts), id=asked.id)
