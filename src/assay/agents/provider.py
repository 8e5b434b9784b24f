"""Models of remote providers, or of any server with an interface like OpenAI's, through Inspect AI.

Inspect has the providers, their forms of messages and tools, and the count of tokens; harness, tools, log,
retries and budget are ours. Its requests are asynchronous: one event loop in a thread of its own serves all
episodes.
"""

from __future__ import annotations

import asyncio
import base64
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from assay import canonical
from assay.agents.connection import Door
from assay.agents.player import Player
from assay.agents.redaction import hide
from assay.agents.transport import (
    LONGEST,
    Message,
    Reply,
    Request,
    Stop,
    ToolCall,
    TransportError,
)
from assay.errors import ConfigError
from assay.presentation import Picture, present, text_of
from assay.protocol import BlobRef, Blobs, Tool
from assay.recording import MOST_TOKENS

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, Content, Model, ModelOutput
    from inspect_ai.tool import ToolInfo

LOST = frozenset({408, 409, 425, 429})
"""Codes of HTTP below 500 after which the same request may succeed; all others below 500 are final."""

STOPS: Mapping[str, Stop] = {"max_tokens": "length", "model_length": "length", "content_filter": "refusal"}
"""What Inspect calls the ends of a reply that are none of the model's own."""


def connect(player: Player, blobs: Blobs, door: Door) -> ProviderTransport:
    """The transport of a player whose transport is `{kind: provider, model: NAME}` in Inspect's words.

    `ConfigError` where the extra or a key is missing.
    """
    name = str(player.transport["model"])
    return ProviderTransport(
        _model(name, canonical.dumps(dict(player.decoding)), _read(door.key), _read(door.address)),
        blobs,
        native=player.protocol == "native",
        timeout=door.timeout,
    )


def _read(variable: str | None) -> str | None:
    """The value of a variable of the environment; `ConfigError` where it is named and empty."""
    if variable is None:
        return None
    value = os.environ.get(variable)
    if not value:
        raise ConfigError(
            f"the variable {variable} of the environment is empty", f"set it: export {variable}=..."
        )
    hide(variable, value)
    return value


@cache
def _model(name: str, decoding: str, key: str | None, address: str | None) -> Model:
    """Inspect's model of that name."""
    try:
        from inspect_ai.model import GenerateConfig, get_model
    except ImportError as problem:
        raise ConfigError(
            "models of providers need the extra `models`", "install it: make setup EXTRAS=models"
        ) from problem
    config = GenerateConfig(max_retries=0, **canonical.loads(decoding))
    try:
        model = get_model(name, config=config, base_url=address, api_key=key, memoize=False)
    except Exception as problem:  # of any provider: an unknown name, a package that is not installed
        raise ConfigError(f"Inspect knows no model {name!r} ({problem})", "correct `model`") from problem
    _opened.append(model)
    return model


_opened: list[Model] = []


def close() -> None:
    """End the connections of all models."""
    _model.cache_clear()
    while _opened:
        asyncio.run_coroutine_threadsafe(_opened.pop().api.aclose(), _loop()).result(timeout=60)


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """The event loop of all requests, in its own thread."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="providers", daemon=True).start()
    return loop


@dataclass(frozen=True)
class ProviderTransport:
    """A model behind Inspect's interface; `timeout` in seconds."""

    model: Model
    blobs: Blobs
    native: bool
    timeout: float

    def ask(self, request: Request) -> Reply:
        """The model's reply."""
        tools = [tool_info(tool) for tool in request.tools] if self.native else []
        coming = self.model.generate(self._messages(request), tools=tools)
        waiting = asyncio.run_coroutine_threadsafe(asyncio.wait_for(coming, self.timeout), _loop())
        try:
            return _reply(waiting.result())
        except TimeoutError as problem:
            raise TransportError(f"no reply within {self.timeout:g} seconds") from problem
        except Exception as problem:
            raise _lost(problem) from problem

    def _messages(self, request: Request) -> list[ChatMessage]:
        from inspect_ai.model import ChatMessageSystem

        return [ChatMessageSystem(content=request.system), *map(self._message, request.messages)]

    def _message(self, message: Message) -> ChatMessage:
        from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, ChatMessageUser
        from inspect_ai.tool import ToolCall as TheirCall

        if message.role == "assistant":
            calls = [
                TheirCall(id=call.id or "", function=call.tool, arguments=_mapping(call.arguments))
                for call in message.calls
            ]
            return ChatMessageAssistant(content=text_of(message.parts[0]), tool_calls=calls or None)
        said = [content(shown) for shown in present(message.parts, self._read)]
        if message.role == "tool":
            return ChatMessageTool(content=said, tool_call_id=message.id)
        return ChatMessageUser(content=said)

    def _read(self, content: BlobRef) -> bytes:
        return self.blobs.get(content.sha256)


def content(shown: str | Picture) -> Content:
    """A text or a picture in Inspect's words."""
    from inspect_ai.model import ContentImage, ContentText

    if isinstance(shown, str):
        return ContentText(text=shown)
    data = base64.b64encode(shown.data).decode()
    return ContentImage(image=f"data:{shown.media_type};base64,{data}")


def _mapping(arguments: Any) -> dict[str, Any]:
    return dict(arguments) if isinstance(arguments, Mapping) else {"arguments": arguments}


def tool_info(tool: Tool) -> ToolInfo:
    """A tool in Inspect's words: it knows fewer words of JSON schema; the harness checks all of them."""
    from inspect_ai.tool import ToolInfo, ToolParams

    schema = _plain(dict(tool.schema))
    return ToolInfo(
        name=tool.name,
        description=tool.doc,
        parameters=ToolParams(
            properties=schema.get("properties", {}),
            required=schema.get("required", []),
            additionalProperties=schema.get("additionalProperties", True),
        ),
    )


def _plain(schema: Any) -> Any:
    """A schema without the words that have another form there: `const` and `oneOf`."""
    if isinstance(schema, list):
        return [_plain(value) for value in schema]
    if not isinstance(schema, Mapping):
        return schema
    found = {key: _plain(value) for key, value in schema.items() if key not in ("const", "oneOf")}
    if "const" in schema:
        found["enum"] = [schema["const"]]
    if "oneOf" in schema:
        found["anyOf"] = _plain(schema["oneOf"])
    return found


def _reply(output: ModelOutput) -> Reply:
    """What Inspect gives back as a reply of ours; `TransportError` where it holds none."""
    if output.error or not output.choices:
        raise TransportError("the provider gave no reply")
    message, usage = output.choices[0].message, output.usage
    tokens_in, tokens_out = (usage.input_tokens, usage.output_tokens) if usage else (0, 0)
    if not (0 <= tokens_in <= MOST_TOKENS and 0 <= tokens_out <= MOST_TOKENS):
        raise TransportError("the provider counted an impossible number of tokens", again=False)
    text = message.text
    calls = tuple(
        ToolCall(call.function, "not JSON" if call.parse_error else call.arguments, call.id)
        for call in message.tool_calls or ()
    )
    return Reply(
        text[:LONGEST],
        calls,
        "length" if len(text) > LONGEST else STOPS.get(output.stop_reason, "end"),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
    )


def _lost(problem: Exception) -> TransportError:
    """What failed, without the addresses, times and keys that providers put into their texts."""
    if isinstance(problem, TransportError):
        return problem
    if (
        last := getattr(problem, "last_attempt", None)
    ) is not None:  # Inspect's retries, of which there are none
        problem = last.exception() or problem
    code = getattr(problem, "status_code", None)
    if isinstance(code, int):
        return TransportError(f"the provider answered with HTTP {code}", again=code >= 500 or code in LOST)
    return TransportError(f"the connection failed ({type(problem).__name__})")
