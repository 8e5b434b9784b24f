"""How a model is reached: a request goes out, a reply comes back.

A transport knows nothing of tasks, harness or recordings, so that a new provider is one class with one
method (`docs/recipes/transport.md`). What comes back is data: a cut or refused answer is a `Reply` that says
so, and only a connection that failed is an exception.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from assay import canonical
from assay.agents.player import Player
from assay.agents.redaction import hide, redacted
from assay.episode import encode_parts
from assay.episodes.identity import Identity
from assay.errors import ConfigError
from assay.protocol import Blobs, Part, Tool

Stop = Literal["end", "length", "refusal"]
"""Why a reply ends: the model had finished, the reply was cut, or the model or its provider declined."""

LONGEST = 16 << 20
"""Bytes or characters of a reply; a longer one is cut and counts as such."""

LONGEST_QUOTE = 300
"""Characters of another program's message that an error quotes."""


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
    """A model's reply: its text, native tool calls if its protocol has them, and the tokens that it took."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    stop: Stop = "end"
    tokens_in: int = 0
    tokens_out: int = 0

    def to_json(self) -> dict[str, Any]:
        """Text, calls and stop as a JSON value; a recording keeps the tokens beside it."""
        return {"text": self.text, "calls": [call.to_json() for call in self.calls], "stop": self.stop}

    @classmethod
    def from_json(cls, value: Mapping[str, Any], usage: Mapping[str, int]) -> Reply:
        """The reply of these JSON values; `KeyError` or `TypeError` where they are malformed."""
        calls = tuple(ToolCall(**call) for call in value["calls"])
        return cls(value["text"], calls, value["stop"], **usage)


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
    """All that a model is shown for one reply; `sha256` (hex) is the hash of all of it."""

    system: str
    messages: Sequence[Message]
    tools: tuple[Tool, ...]
    sha256: str


class Conversation:
    """A growing list of messages. Its hash is updated with each message, so that a long one costs no more."""

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
    """The connection to a model failed. `reason` goes into a table: no clock, address or host in it.

    `details` are the other side's own words (`quoted`); `message` has both, and is for people only. `again`
    says whether the same request may succeed later, `wait` how many seconds the other side asks us to wait
    until then.
    """

    def __init__(self, reason: str, *, again: bool = True, details: str = "", wait: float = 0.0) -> None:
        super().__init__(reason)
        self.again = again
        self.message = f"{reason}: {details}" if details else reason
        self.wait = wait


def quoted(text: str) -> str:
    """Quote another program's message as one short line, without keys or control characters."""
    line = "".join(c if c.isprintable() else "?" for c in redacted(" ".join(text.split())))
    return line if len(line) <= LONGEST_QUOTE else f"{line[:LONGEST_QUOTE]}..."


@dataclass(frozen=True)
class Endpoint:
    """How this machine reaches a model, and how long a reply may take.

    Attributes:
        key: The environment variable that holds the key.
        address: The environment variable that holds the address of a server.
        file: The path of a model that runs in this process.
        pass_on: Environment variables that a program is given.
        timeout: Seconds that a reply may take.
    """

    key: str | None = None
    address: str | None = None
    file: str | None = None
    pass_on: tuple[str, ...] = field(default_factory=tuple)
    timeout: float = 600.0


@dataclass(frozen=True)
class Connection:
    """What a transport is opened with, for one episode.

    Attributes:
        player: The model as its configuration entry describes it; `player.transport` holds the keys of
            `transport` in that entry.
        identity: Which episode of which agent is played.
        blobs: The pictures that requests name by their hash.
        endpoint: How this machine reaches the model.
    """

    player: Player
    identity: Identity
    blobs: Blobs
    endpoint: Endpoint


class Transport(Protocol):
    """A model that answers requests."""

    def ask(self, request: Request) -> Reply:
        """Ask the model for its next reply.

        Args:
            request: All that the model is shown.

        Returns:
            The reply, with the tokens that were read and written.

        Raises:
            TransportError: This request got no reply. The rate limit asks again where `again` is true.
            ConfigError: No request can succeed, for example because the key is refused.
        """


def read_variable(name: str | None) -> str | None:
    """Read a secret from the environment and keep it out of all log records.

    Returns:
        The value of the variable; None where no variable is named.

    Raises:
        ConfigError: The variable is empty.
    """
    if name is None:
        return None
    value = os.environ.get(name)
    if not value:
        raise ConfigError(f"the variable {name} of the environment is empty", f"set it: export {name}=...")
    hide(name, value)
    return value
