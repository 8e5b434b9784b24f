"""A scripted model that writes what a page, a sheet or a parser of logs may take for its own."""

from __future__ import annotations

from tests.reliability.attacks import of_form

from assay.agents.fakes import call
from assay.agents.transport import Request
from assay.numbers.rng import Stream

WORDS = [
    attack.payload.replace("{port}", "9").replace("{task}", "tasks/t")
    for attack in of_form("text")
    if attack.wants in ("report", "log") or attack.name in ("long", "combining", "one-long-word")
]


def liar(request: Request, stream: Stream) -> str:
    """Says each of the words in turn: as the name of a tool, as an argument, in code, and as an answer."""
    turn = sum(message.role == "assistant" for message in request.messages)
    words = WORDS[(turn + stream.below(2)) % len(WORDS)]
    if turn >= 2 * len(WORDS):
        return call("answer", text=words[:150])
    if turn % 4 == 0:
        return call(words[:500], **{words[:100]: words})
    if turn % 4 == 1:
        return call("draw", n=words)
    if turn % 4 == 2:
        return call("run_code", program=[{"tool": words[:500], "arguments": {words[:100]: words}}])
    return call("answer", text=words[:190])
