"""Serves one task over HTTP to the container of an agent, for tasks of Harbor.

    python -m assay.doors.formats.harbor_world petri core-v1/0 --port 8000

The world runs in a container of its own, so that the agent cannot read the truth. `GET /brief` returns the
brief of the task, `POST /call` makes a call, and `POST /score` ends the episode and returns its score. For a
score the token of the environment variable `ASSAY_TOKEN` is needed, which only the verifier is given.
"""

from __future__ import annotations

import argparse
import hmac
import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from assay.config.option import add_config
from assay.episodes.presentation import Picture, present, result_parts, rules
from assay.sessions.session import LARGEST_CALL, TaskSession, open_task

TOKEN = "ASSAY_TOKEN"
"""The environment variable with the token that the verifier shows."""


def main(arguments: list[str] | None = None) -> int:
    """Serve one task until the process is ended."""
    parser = argparse.ArgumentParser(prog="harbor_world", description=__doc__.splitlines()[0])
    parser.add_argument("suite")
    parser.add_argument("task")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000, help="0 for any free port (default: 8000)")
    add_config(parser)
    args = parser.parse_args(arguments)
    # One thread opens the world and makes all calls, since some worlds may be used in no other.
    with open_task(args.suite, args.task, agent="harbor", config=args.config) as session:
        server = HTTPServer((args.host, args.port), handler(session, os.environ.get(TOKEN, "")))
        print(f"port {server.server_port}", flush=True)
        server.serve_forever()
    return 0


def brief_of(session: TaskSession) -> dict[str, Any]:
    """Return the brief for an agent as a JSON value: text, tools with their schemas, and limits."""
    brief = session.brief
    parts = [brief.system, *brief.parts, *filter(None, [rules(brief)])]
    return {
        "text": _text(session, parts),
        "tools": [
            {"name": tool.name, "description": tool.doc, "schema": dict(tool.schema)}
            for tool in brief.tools
            if tool.audience == "agent"
        ],
        "limits": dict(brief.limits),
    }


def _text(session: TaskSession, parts: list[Any]) -> str:
    shown = present(parts, session.read)
    return "\n\n".join("[a picture]" if isinstance(item, Picture) else item for item in shown)


def handler(session: TaskSession, token: str) -> type[BaseHTTPRequestHandler]:
    """Return the class that answers requests about a session.

    Args:
        session: The session.
        token: The secret with which the verifier may ask for the score; empty if nobody may.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/brief":
                self._answer(200, brief_of(session))
            else:
                self._answer(404, {"error": "GET /brief, POST /call, POST /score"})

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            if length > 2 * LARGEST_CALL:
                self._answer(413, {"error": "the request is too large"})
                return
            try:
                body = json.loads(self.rfile.read(length) or b"{}")
                if not isinstance(body, dict):
                    raise ValueError("not an object")
            except (ValueError, RecursionError):
                self._answer(400, {"error": "the body is not a JSON object"})
                return
            if self.path == "/call" and isinstance(body.get("tool"), str):
                result = session.call(body["tool"], body.get("arguments"))
                text = _text(session, result_parts(result))
                self._answer(200, {"ok": result.ok, "content": text, "ended": result.ended})
            elif self.path == "/score" and token:
                if not hmac.compare_digest(str(body.get("token")).encode(), token.encode()):
                    self._answer(403, {"error": "only the verifier may ask for the score"})
                    return
                assessment = session.score()
                idle = not assessment.episode.events  # who does nothing gets zero in every suite
                score = 0.0 if idle else assessment.score or 0.0
                self._answer(
                    200,
                    {"score": score, "status": assessment.episode.status, "flags": assessment.raised},
                )
            else:
                self._answer(404, {"error": "GET /brief, POST /call, POST /score"})

        def _answer(self, code: int, value: dict[str, Any]) -> None:
            data = json.dumps(value, ensure_ascii=False).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: Any) -> None:
            """Print nothing for each request."""

    return Handler


if __name__ == "__main__":
    raise SystemExit(main())
