"""A transport to scripted models, which need no network and no key and give reproducible replies."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TypeAlias

from assay.agents.transport import Connection, Message, Reply, Request, TransportError
from assay.errors import ConfigError
from assay.numbers import rng

Script: TypeAlias = Callable[[Request, rng.Stream], Reply | str]
"""A scripted model: a function of a request and of a random stream that depends on the request.

It returns a `Reply`, or the text of a reply without native calls, or raises `TransportError`.
"""


@dataclass
class FakeTransport:
    """A transport to a scripted model, which gives the same reply to the same request.

    Tokens are counted as four characters each.

    Attributes:
        script: The scripted model.
        stream: The source of its random numbers.
        latency: The seconds that a reply takes.
        faults: For the number of a request in a conversation (from 0), the fault of its reply, a key of
            `FAULTS`.
    """

    script: Script
    stream: rng.Stream
    latency: float = 0.0
    faults: Mapping[int, str] = field(default_factory=dict)

    def ask(self, request: Request) -> Reply:
        """Return the script's reply, with its fault if one is declared for this request."""
        if self.latency:
            time.sleep(self.latency)
        # The number of the request is read from the conversation, so that it is also correct in a session
        # that is continued.
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
"""Faults of a scripted model by name. Each changes a good reply into a faulty one, or raises an error."""


def connect(connection: Connection) -> FakeTransport:
    """Open the transport `{kind: fake, script: NAME}`, with a random stream for each episode."""
    entry, identity = connection.player.transport, connection.identity
    stream = rng.stream(
        entry.get("seed", 0), "fake", identity.suite, identity.task_set, identity.task_id, identity.attempt
    )
    faults = {int(number): fault for number, fault in entry.get("faults", {}).items()}
    return FakeTransport(find_script(entry["script"]), stream, entry.get("latency", 0.0), faults)


def find_script(name: str) -> Script:
    """Return the script with this name.

    Args:
        name: `package.module:NAME`, or the name of a script of `assay.agents.fakes`.

    Raises:
        ConfigError: If there is no such script.
    """
    module, _, attribute = name.rpartition(":")
    try:
        script: Script = getattr(import_module(module or "assay.agents.fakes"), attribute)
    except (ImportError, AttributeError) as problem:
        raise ConfigError(
            f"there is no script {name!r} ({problem})",
            "name a function of assay.agents.fakes, or package.module:NAME",
        ) from problem
    return script
