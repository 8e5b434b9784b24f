"""A transport to models of remote providers, or of servers with an OpenAI-like interface, through Inspect AI.

Inspect AI connects to the providers, converts messages and tools to their formats, and counts tokens. Assay
keeps the harness, the log, retries and the budget. Requests of Inspect AI are asynchronous, so one event loop
in a separate thread serves all episodes.
"""

from __future__ import annotations

import asyncio
import base64
import re
import sys
import threading
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from assay import canonical
from assay.agents.transport import (
    LONGEST,
    Connection,
    Message,
    Reply,
    Request,
    Stop,
    ToolCall,
    TransportError,
    quoted,
    read_variable,
)
from assay.episode import MOST_TOKENS
from assay.episodes.presentation import Picture, present, text_of
from assay.errors import ConfigError
from assay.protocol import BlobRef, Blobs, Tool

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, Content, Model, ModelOutput
    from inspect_ai.tool import ToolInfo

LOST = frozenset({408, 409, 425, 429})
"""HTTP status codes below 500 after which the same request may succeed later."""

ABOUT_KEYS = re.compile(r"api[ _-]?key|credential|authenticat", re.IGNORECASE)
"""Matches messages about refused keys, which some providers send with the HTTP codes 400 and 403."""

MODEL_ARGUMENTS: Mapping[str, Mapping[str, Any]] = {"grok": {"disable_retry": True}}
"""Arguments of Inspect's `get_model` that keep a provider's client from repeating requests."""

SETTINGS: Mapping[str, Mapping[str, Any]] = {"openai": {"reasoning_summary": "none"}}
"""Settings that keep Inspect from sending a test request (it tests whether summaries are available)."""

SINGLE = frozenset(
    {"google", "grok", "mistral", "sagemaker", "hf", "mockllm", "nnterp", "none", "transformer_lens"}
)
"""Providers whose client sends each request at most once (for grok because of `MODEL_ARGUMENTS`)."""

STOPS: Mapping[str, Stop] = {"max_tokens": "length", "model_length": "length", "content_filter": "refusal"}
"""The `Stop` for each of Inspect's stop reasons of replies that the model did not end itself."""


def connect(connection: Connection) -> ProviderTransport:
    """Open the transport `{kind: provider, model: NAME}`, with the name that Inspect AI gives the model.

    Raises:
        ConfigError: If the extra `models`, a package of the provider or a key is missing.
    """
    player, endpoint = connection.player, connection.endpoint
    name, decoding = str(player.transport["model"]), canonical.dumps(dict(player.decoding))
    return ProviderTransport(
        _model(name, decoding, read_variable(endpoint.key), read_variable(endpoint.address)),
        connection.blobs,
        native=player.protocol == "native",
        timeout=endpoint.timeout,
        key=endpoint.key,
    )


@cache
def _model(name: str, decoding: str, key: str | None, address: str | None) -> Model:
    """Return Inspect's model with this name, which is opened once per process and settings."""
    try:
        from inspect_ai.model import GenerateConfig, get_model
    except ImportError as problem:
        raise ConfigError(
            "models of providers need the extra `models`", "install it: make setup EXTRAS=models"
        ) from problem
    provider = name.partition("/")[0]
    config = GenerateConfig(max_retries=0, **SETTINGS.get(provider, {}), **canonical.loads(decoding))
    arguments = MODEL_ARGUMENTS.get(provider, {})
    try:
        model = get_model(name, config=config, base_url=address, api_key=key, memoize=False, **arguments)
    except Exception as problem:  # of any type, e.g. for an unknown name or a missing package
        raise ConfigError(f"Inspect knows no model {name!r} ({problem})", "correct `model`") from problem
    if not send_once(model.api) and provider not in SINGLE:
        print(
            f"note: the client library of {provider} may repeat requests by itself: those are not counted, "
            "and no limit holds them",
            file=sys.stderr,
        )
    _opened.append(model)
    return model


_response: ContextVar[list[Any]] = ContextVar("_response")
"""The HTTP responses to the request of the current asyncio task, if the client passes them on."""


async def _keep_response(response: Any) -> None:
    if (kept := _response.get(None)) is not None:
        kept.append(response)


def send_once(api: Any) -> bool:
    """Make a provider's client send each request only once.

    Requests are repeated by `RateLimit`, which counts them. The clients of OpenAI, Anthropic and Groq, which
    most providers use, repeat a request twice by default. Some providers of Inspect accept `max_retries` as a
    model argument; others refuse it, or pass it on to the server that they start. So it is set on the client
    itself, and on each client that is made later. A client of AWS reads it from its session.

    Returns:
        Whether this was possible; false if the client has no known setting.
    """
    if (session := getattr(api, "session", None)) is not None and hasattr(session, "set_config_variable"):
        session.set_config_variable("max_attempts", 1)
        return True
    make = getattr(api, "_create_client", None)
    if make is None:
        return False

    def made() -> Any:
        return _once(make())

    api._create_client = made
    client = getattr(api, "client", None)
    # A provider that starts its own server has no client before the first request.
    return client is None or hasattr(_once(client), "max_retries")


def _once(client: Any) -> Any:
    """Turn off the retries of a client, make it keep responses for error messages, and return it."""
    if hasattr(client, "max_retries"):
        client.max_retries = 0
        client._client.event_hooks["response"].append(_keep_response)
    return client


_opened: list[Model] = []


def close() -> None:
    """Close the connections of all models."""
    _model.cache_clear()
    while _opened:
        asyncio.run_coroutine_threadsafe(_opened.pop().api.aclose(), _loop()).result(timeout=60)


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """Return the event loop of all requests, which runs in its own thread."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="providers", daemon=True).start()
    return loop


@dataclass(frozen=True)
class ProviderTransport:
    """A model that is reached through Inspect AI.

    Attributes:
        model: Inspect's model.
        blobs: The pictures to which requests refer by their hash.
        native: Whether the model uses its provider's native tool calls.
        timeout: The seconds that a reply may take.
        key: The name of the environment variable that holds the key, for messages.
    """

    model: Model
    blobs: Blobs
    native: bool
    timeout: float
    key: str | None = None

    def ask(self, request: Request) -> Reply:
        """Send the request and return the model's reply.

        Raises:
            TransportError: If there is no usable reply.
            ConfigError: If the provider refuses the key.
        """
        tools = [tool_info(tool) for tool in request.tools] if self.native else []
        messages = self._messages(request)
        responses: list[Any] = []

        async def generate() -> ModelOutput:
            _response.set(responses)
            return await asyncio.wait_for(self.model.generate(messages, tools=tools), self.timeout)

        waiting = asyncio.run_coroutine_threadsafe(generate(), _loop())
        try:
            return _reply(waiting.result())
        except TransportError:
            raise
        except TimeoutError as problem:
            raise TransportError(f"no reply within {self.timeout:g} seconds") from problem
        except Exception as problem:
            raise self._failure(problem, responses) from problem

    def _failure(self, problem: BaseException, responses: list[Any]) -> TransportError | ConfigError:
        """Return the error of a failed request. Tables and recordings do not hold the provider's text."""
        if (last := getattr(problem, "last_attempt", None)) is not None:  # of Inspect's retries
            problem = last.exception() or problem
        if (
            hasattr(problem, "provider_message") and problem.__cause__ is not None
        ):  # whose text has the request
            problem = problem.__cause__
        codes = (getattr(problem, name, None) for name in ("status_code", "code"))
        code = next((code for code in codes if isinstance(code, int)), None)
        words = _words(problem)
        if (
            code == 401
            or (code in (400, 403) and ABOUT_KEYS.search(words))
            or (isinstance(problem, Exception) and self.model.api.is_auth_failure(problem))
        ):
            return self._key_refused(code, words)
        if code is not None:
            return TransportError(
                f"the provider answered with HTTP {code}",
                again=code >= 500 or code in LOST,
                details=words,
                wait=self._wait(problem),
            )
        if (body := _body(responses)) is not None:
            try:
                canonical.loads(body)
            except (ValueError, RecursionError):
                return TransportError("the provider's reply is no JSON", details=quoted(body))
            kind = type(problem).__name__
            return TransportError(f"the provider's reply cannot be used ({kind})", details=quoted(body))
        return TransportError(f"the connection failed ({type(problem).__name__})")

    def _key_refused(self, code: int | None, words: str) -> ConfigError:
        variable = self.key or " or ".join(self.model.api.api_key_vars) or "the environment"
        return ConfigError(
            f"the provider of {self.model} refuses the key in {variable}"
            + (f" (HTTP {code})" if code else "")
            + f": {words}",
            f"set it: export {variable}=..., and run the command again: what is recorded is kept",
        )

    def _wait(self, problem: BaseException) -> float:
        """Return the seconds to wait before the next request, if the provider demands it, else 0."""
        decision = self.model.api.should_retry(problem) if isinstance(problem, Exception) else None
        return getattr(decision, "retry_after", None) or 0.0

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
        contents = [content(part) for part in present(message.parts, self._read)]
        if message.role == "tool":
            return ChatMessageTool(content=contents, tool_call_id=message.id)
        return ChatMessageUser(content=contents)

    def _read(self, content: BlobRef) -> bytes:
        return self.blobs.get(content.sha256)


def content(part: str | Picture) -> Content:
    """Convert a text or a picture to a content of Inspect AI."""
    from inspect_ai.model import ContentImage, ContentText

    if isinstance(part, str):
        return ContentText(text=part)
    data = base64.b64encode(part.data).decode()
    return ContentImage(image=f"data:{part.media_type};base64,{data}")


def _mapping(arguments: Any) -> dict[str, Any]:
    return dict(arguments) if isinstance(arguments, Mapping) else {"arguments": arguments}


def tool_info(tool: Tool) -> ToolInfo:
    """Convert a tool to one of Inspect AI, which supports fewer keywords of JSON schema than the harness."""
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
    """Replace the keywords `const` and `oneOf`, which Inspect AI does not know, by `enum` and `anyOf`."""
    if isinstance(schema, list):
        return [_plain(value) for value in schema]
    if not isinstance(schema, Mapping):
        return schema
    plain = {key: _plain(value) for key, value in schema.items() if key not in ("const", "oneOf")}
    if "const" in schema:
        plain["enum"] = [schema["const"]]
    if "oneOf" in schema:
        plain["anyOf"] = _plain(schema["oneOf"])
    return plain


def _reply(output: ModelOutput) -> Reply:
    """Convert an output of Inspect AI to a `Reply`, or raise `TransportError` if it contains no reply."""
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


def _words(problem: BaseException) -> str:
    """Return the provider's message about a failed request."""
    body = getattr(problem, "body", None)
    while isinstance(body, Mapping):
        body = body.get("error", body.get("message"))
    return quoted(body if isinstance(body, str) else str(getattr(problem, "message", None) or problem))


def _body(responses: list[Any]) -> str | None:
    """Return the text of the last response, or `None` if it was not successful or not complete."""
    if not responses or not responses[-1].is_success:
        return None
    try:
        return str(responses[-1].text)
    except Exception:  # of a client's own type, if the body was cut off or read as a stream
        return None
