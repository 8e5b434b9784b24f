"""Scripted models that play the made-up suite, and one that takes its replies from a list."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from assay import canonical
from assay.agents.fakes import call
from assay.agents.transport import Reply, Request, Transport
from assay.numbers.rng import Stream


def urn(request: Request, stream: Stream) -> str:
    """Looks at the picture, draws half of the balls, rests, forgets, looks at all balls and answers.

    It answers in plain text, refuses to be perfect (an impossible draw, a reply that is no call) and runs
    programs whose nested calls fail and succeed.
    """
    return _urn(request, stream, clock=False)


def urn_with_clock(request: Request, stream: Stream) -> str:
    """The same, with programs whose output nobody can make again."""
    return _urn(request, stream, clock=True)


def _urn(request: Request, stream: Stream, clock: bool) -> str:
    turn = sum(message.role == "assistant" for message in request.messages)
    first = str(request.messages[0].parts[0])
    if first.startswith("Day"):
        return _second_day(request, turn, clock)
    balls = int(first.split()[3])
    replies = [
        call("manual"),
        call("draw", n=balls * 2),
        call("weigh"),
        call("draw", n=balls // 2),
        "about " + str(stream.below(balls)),
        call("no_such_tool"),
        call("run_code", program=[_look(0), {"tool": "finish", "arguments": {}}, _look(999)], clock=clock),
        call("rest"),
    ]
    return replies[turn]


def _second_day(request: Request, turn: int, clock: bool) -> str:
    if turn == 0:
        return call("run_code", program=[_look(at) for at in range(6)], clock=clock)
    if turn == 1:
        printed = str(request.messages[-1].parts[-1])
        return call("answer", text=str(printed.count("red")))
    return "```json\n" + call("finish") + "\n```"


def _look(at: int) -> dict[str, object]:
    return {"tool": "look", "arguments": {"at": at}}


def juror(request: Request, stream: Stream) -> str:
    """Judges answers about urns: supported where a ball was seen. Now and then it does not say."""
    evidence: Any = request.messages[0].parts[2]
    seen = any(one["ok"] and one["tool"] in ("draw", "look") for one in evidence["seen"])
    if stream.below(6) == 0:
        return "That is hard to say."
    said = {"finding": "supported" if seen else "guessed", "sure": stream.below(11), "reason": "I looked."}
    return f"My verdict: {canonical.dumps(said)}"


class Replies:
    """A transport that gives these replies, one after the other; a text stands for an ordinary reply."""

    def __init__(self, replies: Sequence[Reply | str]) -> None:
        self._replies: Iterator[Reply | str] = iter(replies)
        self.requests: list[Request] = []

    def ask(self, request: Request) -> Reply:
        self.requests.append(request)
        reply = next(self._replies)
        return reply if isinstance(reply, Reply) else Reply(reply, tokens_in=10, tokens_out=5)


class Witnessed:
    """A transport that takes its time, and whose requests are counted by somebody else than the recorder."""

    def __init__(self, transport: Transport, witness: Path, latency: float) -> None:
        self._transport = transport
        self._witness = witness
        self._latency = latency

    def ask(self, request: Request) -> Reply:
        with self._witness.open("a") as file:
            file.write(request.sha256 + "\n")
        time.sleep(self._latency)
        return self._transport.ask(request)
