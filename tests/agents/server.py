"""A small server that speaks as OpenAI's does, for tests: what it answers, and what goes wrong, is scripted.

It counts the requests under way, so that a test sees what really arrived.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

READ = 12
"""Tokens read, as the server counts them."""

Answer = Callable[[Mapping[str, Any], int], Any]
"""Makes the message of a reply (a text, or a dictionary with `tool_calls`), or a `Fault`, out of the body of
a request and the number of requests that came before it."""


@dataclass(frozen=True)
class Fault:
    """What goes wrong: an HTTP status, half of an answer, no JSON or unexpected JSON, silence, an end."""

    kind: str
    status: int = 200
    message: str = "at 10.0.0.1, Thursday"
    retry_after: str | None = None


@dataclass
class Server:
    """`with Server(answer) as server:` serves at `server.address`."""

    answer: Answer
    latency: float = 0.0
    bodies: list[Mapping[str, Any]] = field(default_factory=list, init=False)
    under_way: int = field(default=0, init=False)
    most_under_way: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args: Any) -> None:
                pass

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                number = server.enter(body)
                try:
                    time.sleep(server.latency)
                    self._send(server.answer(body, number))
                finally:
                    server.leave()

            def do_GET(self) -> None:
                # What the server has: some providers ask before the first request.
                limits = {"max_input_tokens": 1000, "max_output_tokens": 1000}
                data = json.dumps({"data": [{"model_name": "fake", "model_info": limits}]}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def _send(self, answer: Any) -> None:
                fault = answer if isinstance(answer, Fault) else Fault("none")
                if fault.kind == "silence":
                    time.sleep(5)
                data = completion("" if isinstance(answer, Fault) else answer, fault.kind)
                if fault.kind == "status":
                    data = json.dumps({"error": {"message": fault.message, "type": "server"}}).encode()
                if fault.kind == "other json":
                    data = b'{"choices": 1}'
                if fault.kind == "not json":
                    data = b"<html>\n no\x1b[1m, secret</html>" + b"!" * 1000
                self.send_response(fault.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                if fault.retry_after is not None:
                    self.send_header("Retry-After", fault.retry_after)
                self.end_headers()
                if fault.kind == "half":
                    self.wfile.write(data[: len(data) // 2])
                    self.close_connection = True
                    return
                self.wfile.write(data)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    def enter(self, body: Mapping[str, Any]) -> int:
        """Count a request in; its number."""
        with self._lock:
            self.bodies.append(body)
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
            return len(self.bodies) - 1

    def leave(self) -> None:
        """Count a request out."""
        with self._lock:
            self.under_way -= 1

    @property
    def address(self) -> str:
        """Where it is reached."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Server:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


def completion(message: Any, end: str) -> bytes:
    """An answer in OpenAI's form: 12 tokens read and 3 written."""
    said = message if isinstance(message, dict) else {"content": message}
    reasons = {"cut": "length", "refusal": "content_filter"}
    return json.dumps(
        {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": "fake",
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": None, **said},
                    "finish_reason": reasons.get(end, "tool_calls" if said.get("tool_calls") else "stop"),
                }
            ],
            "usage": {"prompt_tokens": READ, "completion_tokens": 3, "total_tokens": READ + 3},
        }
    ).encode()


def native_call(tool: str, **arguments: Any) -> dict[str, Any]:
    """A message that calls a tool natively."""
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return {"tool_calls": [{"id": "c1", "type": "function", "function": function}]}
