"""The interface of transports, which send requests to a model and return its replies.

A transport does not depend on tasks, the harness or recordings, so a new one is a class with one method
(`docs/recipes/transport.md`). A reply that was cut off or refused is a `Reply` with that `stop`; only a
failed connection is an exception.
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
"""Why a reply ends: the model finished, the reply was cut off, or the model or its provider declined."""

LONGEST = 16 << 20
"""The largest length of a reply in bytes or characters. A longer one is cut off and has the stop `length`."""

LONGEST_QUOTE = 300
"""The largest number of characters that an error quotes from another program's message."""


@dataclass(frozen=True)
class ToolCall:
    """A call that a model asks for.

    Attributes:
        tool: The name of the tool.
        arguments: The arguments of the call.
        id: The provider's identifier of a native tool call; `None` for a call in the text of a reply.
    """

    tool: str
    arguments: Any
    id: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the call as a JSON value."""
        return {"tool": self.tool, "arguments": self.arguments, "id": self.id}


@dataclass(frozen=True)
class Reply:
    """A model's reply.

    Attributes:
        text: Its text.
        calls: Its native tool calls, if the model's protocol has them.
        stop: Why it ends.
        tokens_in: The number of tokens that the model read.
        tokens_out: The number of tokens that the model wrote.
    """

    text: str
    calls: tuple[ToolCall, ...] = ()
    stop: Stop = "end"
    tokens_in: int = 0
    tokens_out: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return text, calls and stop as a JSON value, without the tokens, which a recording keeps apart."""
        return {"text": self.text, "calls": [call.to_json() for call in self.calls], "stop": self.stop}

    @classmethod
    def from_json(cls, value: Mapping[str, Any], usage: Mapping[str, int]) -> Reply:
        """Return the reply that JSON values describe.

        Args:
            value: The reply as `to_json` returns it.
            usage: The numbers of tokens, as `tokens_in` and `tokens_out`.

        Raises:
            KeyError, TypeError: If they do not describe a reply.
        """
        calls = tuple(ToolCall(**call) for call in value["calls"])
        return cls(value["text"], calls, value["stop"], **usage)


@dataclass(frozen=True)
class Message:
    """One message of a conversation.

    Attributes:
        role: The sender; `tool` for the result of a native call.
        parts: The content.
        calls: The native calls of a message of the model.
        id: The identifier of the native call whose result a `tool` message holds.
    """

    role: Literal["user", "assistant", "tool"]
    parts: tuple[Part, ...]
    calls: tuple[ToolCall, ...] = ()
    id: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the message as a JSON value, with pictures replaced by references with their hash."""
        return {
            "role": self.role,
            "parts": encode_parts(self.parts),
            "calls": [call.to_json() for call in self.calls],
            "id": self.id,
        }


@dataclass(frozen=True)
class Request:
    """Everything that a model receives for one reply.

    Attributes:
        system: The system prompt.
        messages: The messages of the conversation.
        tools: The tools that the model can call.
        sha256: The hash (hex) of all of these.
    """

    system: str
    messages: Sequence[Message]
    tools: tuple[Tool, ...]
    sha256: str


class Conversation:
    """A growing list of messages with a hash.

    The hash is updated with each message, so that the time for one does not grow with the conversation.
    """

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
        """Return the request for the next reply."""
        return Request(self._system, tuple(self._messages), self._tools, self._sha256)


class TransportError(Exception):
    """The connection to a model failed.

    Args:
        reason: What failed. Tables hold this text, so it must not contain times, addresses or hosts.
        again: Whether the same request may succeed later.
        details: The message of the other side (see `quoted`), which no table or recording holds.
        wait: The seconds to wait before the next request, as the other side demands.

    Attributes:
        again: Whether the same request may succeed later.
        message: Reason and details, for people only.
        wait: The seconds to wait before the next request.
    """

    def __init__(self, reason: str, *, again: bool = True, details: str = "", wait: float = 0.0) -> None:
        super().__init__(reason)
        self.again = again
        self.message = f"{reason}: {details}" if details else reason
        self.wait = wait


def quoted(text: str) -> str:
    """Return another program's message as one short line without keys or control characters."""
    line = "".join(c if c.isprintable() else "?" for c in redacted(" ".join(text.split())))
    return line if len(line) <= LONGEST_QUOTE else f"{line[:LONGEST_QUOTE]}..."


@dataclass(frozen=True)
class Endpoint:
    """The settings with which this machine reaches a model.

    Attributes:
        key: The name of the environment variable that holds the key.
        address: The name of the environment variable that holds the address of a server.
        file: The file of a model that runs in this process, as a path or `package:file`.
        pass_on: The names of environment variables that are passed on to a program.
        timeout: The seconds that a reply may take.
    """

    key: str | None = None
    address: str | None = None
    file: str | None = None
    pass_on: tuple[str, ...] = field(default_factory=tuple)
    timeout: float = 600.0


@dataclass(frozen=True)
class Connection:
    """The information with which a transport is opened for one episode.

    Attributes:
        player: The model as its configuration entry describes it; `player.transport` holds the section
            `transport` of that entry.
        identity: The agent, task and attempt of the episode.
        blobs: The pictures to which requests refer by their hash.
        endpoint: The settings with which this machine reaches the model.
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
            request: Everything that the model receives.

        Returns:
            The reply, with the tokens that were read and written.

        Raises:
            TransportError: If this request got no reply. `RateLimit` repeats it if `again` is true.
            ConfigError: If no request can succeed, for example because the key is refused.
        """


def read_variable(name: str | None) -> str | None:
    """Read a secret from the environment and keep it out of all log records.

    Returns:
        The value of the variable; `None` if `name` is `None`.

    Raises:
        ConfigError: If the variable is empty.
    """
    if name is None:
        return None
    value = os.environ.get(name)
    if not value:
        raise ConfigError(f"the variable {name} of the environment is empty", f"set it: export {name}=...")
    hide(name, value)
    return value
