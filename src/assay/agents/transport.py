"""How a model is reached: a request goes out, a reply comes back.

A transport knows nothing of tasks, harness or recordings, so that a new provider is one class with one
method. What comes back is data: a cut or refused answer is a `Reply` that says so, and only a connection
that failed is an exception.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal, Protocol, TypeAlias

from assay import canonical, rng
from assay.episode import encode_parts
from assay.errors import ConfigError
from assay.protocol import Blobs, Part, Tool
from assay.recording import Identity

Stop = Literal["end", "length", "refusal"]
"""Why a reply ends: the model was done, it was cut, the model (or its provider) declined."""


@dataclass(frozen=True)
class ToolCall:
    """A call that a model asks for; `id` is the provider's name for it, where it has native tool calls."""

    tool: str
    arguments: Any
    id: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The call as a JSON value."""
        return {"tool": self.tool, "arguments": self.arguments, "id": self.id}


@dataclass(frozen=True)
class Reply:
    """What a model answered: text, native tool calls where its protocol has them, and what it used up."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    stop: Stop = "end"
    tokens_in: int = 0
    tokens_out: int = 0

    def to_json(self) -> dict[str, Any]:
        """What was said, as a JSON value; what was used up stands beside it in a recording."""
        return {"text": self.text, "calls": [call.to_json() for call in self.calls], "stop": self.stop}

    @classmethod
    def from_json(cls, said: Mapping[str, Any], usage: Mapping[str, int]) -> Reply:
        """The reply of both JSON values; `KeyError` or `TypeError` where they are none."""
        calls = tuple(ToolCall(**call) for call in said["calls"])
        return cls(said["text"], calls, said["stop"], **usage)


@dataclass(frozen=True)
class Message:
    """One message of a conversation. A `tool` message answers the native call of that id."""

    role: Literal["user", "assistant", "tool"]
    parts: tuple[Part, ...]
    calls: tuple[ToolCall, ...] = ()
    id: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The message as a JSON value; pictures are named by their hash."""
        return {
            "role": self.role,
            "parts": encode_parts(self.parts),
            "calls": [call.to_json() for call in self.calls],
            "id": self.id,
        }


@dataclass(frozen=True)
class Request:
    """All that a model is shown for one reply. `sha256` (hex) is of all of it."""

    system: str
    messages: Sequence[Message]
    tools: tuple[Tool, ...]
    sha256: str


class Conversation:
    """A growing list of messages whose hash is kept up to date, so that a turn costs what is new in it."""

    def __init__(self, system: str, tools: tuple[Tool, ...]) -> None:
        self._system = system
        self._tools = tools
        self._messages: list[Message] = []
        named = [{"name": t.name, "schema": dict(t.schema), "doc": t.doc} for t in tools]
        self._sha256 = canonical.digest([system, named])

    def add(self, message: Message) -> None:
        """Append a message."""
        self._messages.append(message)
        text = self._sha256 + canonical.dumps(message.to_json())
        self._sha256 = hashlib.sha256(text.encode()).hexdigest()

    def request(self) -> Request:
        """The request that asks for the next reply."""
        return Request(self._system, tuple(self._messages), self._tools, self._sha256)


class TransportError(Exception):
    """The connection to a model failed. The text goes into a table: no clock, address or host in it."""


class Transport(Protocol):
    """A model that answers requests."""

    def ask(self, request: Request) -> Reply:
        """The model's reply; `TransportError` where none can be had."""


Script: TypeAlias = Callable[[Request, rng.Stream], Reply | str]
"""A scripted model: a function of the request and of random numbers that belong to it.

A text stands for an ordinary reply. It may raise `TransportError`.
"""


@dataclass
class FakeTransport:
    """A scripted model: no network, no key, the same reply to the same request.

    Tokens are counted as four characters each. `latency` are the seconds that an answer takes. `faults` maps
    the number of a request in a conversation (from 0) to what goes wrong there, one of `FAULTS`.
    """

    script: Script
    stream: rng.Stream
    latency: float = 0.0
    faults: Mapping[int, str] = field(default_factory=dict)

    def ask(self, request: Request) -> Reply:
        """The script's reply."""
        if self.latency:
            time.sleep(self.latency)
        # The number of the request is read from the conversation, so that a resumed session is no other.
        number = sum(message.role == "assistant" for message in request.messages)
        answer = self.script(request, self.stream.child(request.sha256))
        reply = answer if isinstance(answer, Reply) else Reply(answer)
        if number in self.faults:
            reply = FAULTS[self.faults[number]](reply)
        return Reply(
            reply.text,
            reply.calls,
            reply.stop,
            tokens_in=sum(map(_tokens, request.messages)),
            tokens_out=len(reply.text) // 4 + 1,
        )


def _tokens(message: Message) -> int:
    return sum(len(part) // 4 + 1 if isinstance(part, str) else 1 for part in message.parts)


def _lost(reply: Reply) -> Reply:
    raise TransportError("the connection was lost")


FAULTS: Mapping[str, Callable[[Reply], Reply]] = {
    "refusal": lambda reply: Reply("I cannot help with that.", stop="refusal"),
    "cut": lambda reply: Reply(reply.text[: len(reply.text) // 2], stop="length"),
    "not_json": lambda reply: Reply('{"tool": ' + reply.text),
    "wrong_tool": lambda reply: Reply('{"tool": "no_such_tool", "arguments": {}}'),
    "half_character": lambda reply: Reply('{"tool": "\ud800", "arguments": {"\ud83d": "\\ud83d"}}'),
    "long": lambda reply: Reply("word " * 2_000_000),
    "lost": _lost,
}
"""Ways in which a fake misbehaves: what a reply becomes."""


def connect(facts: Mapping[str, Any], identity: Identity, blobs: Blobs) -> Transport:
    """The transport of an agent's entry in the configuration, for one episode.

    `blobs` holds the pictures that a request names. `ConfigError` where there is no such transport.
    """
    kind = facts.get("kind")
    if kind != "fake":
        raise ConfigError(f"there is no transport of the kind {kind!r}", "use `kind: fake`")
    stream = rng.stream(
        facts.get("seed", 0), "fake", identity.suite, identity.task_set, identity.task_id, identity.attempt
    )
    faults = {int(number): fault for number, fault in facts.get("faults", {}).items()}
    return FakeTransport(find_script(facts["script"]), stream, facts.get("latency", 0.0), faults)


def find_script(name: str) -> Script:
    """The script of that name: `package.module:NAME`, or one of `assay.agents.fakes`."""
    module, _, attribute = name.rpartition(":")
    try:
        script: Script = getattr(import_module(module or "assay.agents.fakes"), attribute)
    except (ImportError, AttributeError) as problem:
        raise ConfigError(
            f"there is no script {name!r} ({problem})",
            "name a function of assay.agents.fakes, or package.module:NAME",
        ) from problem
    return script
