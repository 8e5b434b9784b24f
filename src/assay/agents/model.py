"""The loop around a language model, which is the same for every suite.

A model receives the brief of the suite, the tools, and instructions for calling them: with its provider's
native tool calls, with one JSON object per reply, or in plain text if the brief names a tool that takes it.
The *scaffold* is the text that the loop itself adds. Its hash is in every recording, so that results of
different versions are not compared by mistake.
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
"""The version of the scaffold. Raise it if the loop acts differently although its text is the same."""

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
"""All texts that the loop itself adds to a conversation."""

SCAFFOLD_SHA256 = canonical.digest([SCAFFOLD_VERSION, SCAFFOLD])
"""The sha256 (hex) of the version and the texts of the scaffold."""

REFUSALS = 3
"""The number of equal refused calls in a row after which a model is stopped."""

NOT_JSON = "not JSON: a number that is not finite, or half a character"
"""The value that replaces arguments of native calls that no log can hold. Every tool refuses it."""


@dataclass(frozen=True)
class Turn:
    """One reply of a model.

    Attributes:
        n: The number of the reply in the episode, from 0.
        request_sha256: The hash (hex) of the request.
        reply: The reply.
        calls: The calls that the reply asks for.
    """

    n: int
    request_sha256: str
    reply: Reply
    calls: tuple[ToolCall, ...]


@dataclass
class ModelAgent:
    """A language model as an agent.

    Attributes:
        transport: The connection to the model.
        player: The model's limits, price and way of calling tools.
        note: Called with each turn before its calls are made, so that it can be recorded.
        waited: Returns the seconds that all replies have taken so far, for the limit of time.
        turns: The number of replies so far.
        tokens_in: The number of tokens that the model has read so far.
        tokens_out: The number of tokens that the model has written so far.
    """

    transport: Transport
    player: Player
    note: Callable[[Turn], None]
    waited: Callable[[], float] = lambda: 0.0
    turns: int = field(default=0, init=False)
    tokens_in: int = field(default=0, init=False)
    tokens_out: int = field(default=0, init=False)

    def act(self, brief: Brief, call: Call, stream: Stream) -> None:
        """Play one episode.

        Raises:
            AgentStopped: If the model or one of its limits ends the episode.
        """
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
        """Return the next reply, the calls in it, and why it contains no call (empty if it does)."""
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
        """Return a new conversation with the system prompt, and with `parts` as the first message."""
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
            # A provider itself adds native tools to the model's prompt.
            if (tools := _of(brief, audience)) and not (native and audience == "agent"):
                words.append("\n".join([SCAFFOLD[title], *map(_describe, tools)]))
        if brief.limits:
            listed = ", ".join(f"{name} {most}" for name, most in sorted(brief.limits.items()))
            words.append(SCAFFOLD["limits"].format(limits=listed))
        return words


def understand(brief: Brief, reply: Reply) -> tuple[tuple[ToolCall, ...], str]:
    """Return the calls that a reply asks for, and a text that says why it asks for none (else empty)."""
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
    """Return the call that a JSON object, alone or in a code fence, describes; or what is wrong with it."""
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
    """Return the name of the argument that takes a reply in plain text: the only required one of the tool."""
    (name,) = tool.schema["required"]
    return str(name)


def writable(reply: Reply) -> Reply:
    """Return a copy of a reply that a log can hold, with question marks in place of lone surrogates."""
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
    """Return the message with the result of a call."""
    template = SCAFFOLD["result" if result.ok else "refused"]
    words = template.format(tool=asked.tool[:100], error=result.error)
    return Message("user" if asked.id is None else "tool", (words, *result.parts), id=asked.id)
