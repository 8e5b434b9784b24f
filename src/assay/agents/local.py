"""A transport to models in this process: any GGUF file, run by llama.cpp through `xllamacpp`.

Measurements showed that a model gives the same replies in every run only with one thread, one slot, no cache
of prompts and temperature 0, and that a small model calls tools only if its reply is constrained to their
schemas. So models run with these settings, and if there are tools, a reply is always one JSON call.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from assay import canonical
from assay.agents.transport import Connection, Reply, Request, TransportError
from assay.episodes.presentation import text_of
from assay.errors import ConfigError
from assay.protocol import Tool

SHORT_OF_ROOM = "exceed_context_size_error"
"""The error type of llama.cpp for a conversation that is longer than the model's context."""


def connect(connection: Connection) -> LocalTransport:
    """Open the transport `{kind: local, name: NAME, sha256: HASH, context: TOKENS}`.

    The file is `endpoint.file`, a path or `package:file` of an installed package.

    Raises:
        ConfigError: If the extra `local` or the file is missing, or the file has another sha256.
    """
    entry, decoding = connection.player.transport, canonical.dumps(dict(connection.player.decoding))
    path = _find(connection.endpoint.file)
    return _load(str(path), str(entry["sha256"]), int(entry["context"]), decoding)


def _find(file: str | None) -> Path:
    """Return the path of the model's file, which is given as a path or as `package:file`."""
    if file is None:
        raise ConfigError(
            "a local model needs `access: {file: ...}`",
            "give the path of its GGUF file, or package:file of an installed package",
        )
    package, colon, name = os.path.expandvars(file).rpartition(":")
    path = Path(name)
    if colon:
        # The package is located but not imported, because its import may require other packages.
        spec = find_spec(package)
        if spec is None or spec.origin is None:
            raise ConfigError(
                f"the package {package!r} with the model {name} is not installed",
                "install it: make setup EXTRAS=local",
            )
        path = Path(spec.origin).with_name(name)
    if not path.is_file():
        raise ConfigError(f"there is no file {path}", "correct `access.file` of the agent")
    return path


@cache
def _load(path: str, sha256: str, context: int, decoding: str) -> LocalTransport:
    """Load a model into memory, once per process."""
    with Path(path).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != sha256:
        raise ConfigError(
            f"{path} is not the model of the configuration (its sha256 is {digest})",
            "get the file with the sha256 of the agent's `transport`, or name the other model there",
        )
    try:
        import xllamacpp
    except ImportError as problem:
        raise ConfigError(
            "models in process need the extra `local`", "install it: make setup EXTRAS=local"
        ) from problem
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.n_ctx = context
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.cache_prompt = False
    params.cache_ram_mib = 0
    params.n_gpu_layers = 0
    params.warmup = False
    params.verbosity = -1
    return LocalTransport(xllamacpp.Server(params), canonical.loads(decoding))


@dataclass(frozen=True)
class LocalTransport:
    """A model in this process, which answers one request at a time.

    Attributes:
        server: The `xllamacpp.Server` of the model.
        decoding: Settings that are added to each request.
        turn: The lock that a request holds while the model answers it.
    """

    server: Any
    decoding: Mapping[str, Any]
    turn: Any = field(default_factory=threading.Lock)

    def ask(self, request: Request) -> Reply:
        """Return the model's reply: one tool call as JSON, or free text if the request has no tools."""
        messages = [{"role": "system", "content": request.system}]
        for message in request.messages:
            role = "assistant" if message.role == "assistant" else "user"
            messages.append({"role": role, "content": "\n\n".join(map(text_of, message.parts))})
        body = {
            **self.decoding,
            "messages": messages,
            "cache_prompt": False,
        }
        if request.tools:
            schema = {"name": "call", "schema": call_schema(request.tools)}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        with self.turn:
            answer = self.server.handle_chat_completions(body)
        return _reply(answer)


def call_schema(tools: Sequence[Tool]) -> dict[str, Any]:
    """Return the JSON schema of one call of any of these tools, in the form that the scaffold demands."""
    calls = [
        {
            "type": "object",
            "properties": {"tool": {"const": tool.name}, "arguments": dict(tool.schema)},
            "required": ["tool", "arguments"],
            "additionalProperties": False,
        }
        for tool in tools
    ]
    return {"anyOf": calls} if len(calls) > 1 else calls[0]


def _reply(answer: Any) -> Reply:
    """Convert an answer of llama.cpp to a `Reply`, or raise `TransportError` for an error."""
    if isinstance(answer, str):
        answer = canonical.loads(answer)
    if error := answer.get("error"):
        if error.get("type") == SHORT_OF_ROOM:
            return Reply("", stop="length")
        raise TransportError(f"llama.cpp: {error.get('type')}", again=False)
    choice, usage = answer["choices"][0], answer["usage"]
    return Reply(
        choice["message"].get("content") or "",
        stop="length" if choice["finish_reason"] == "length" else "end",
        tokens_in=usage["prompt_tokens"],
        tokens_out=usage["completion_tokens"],
    )
