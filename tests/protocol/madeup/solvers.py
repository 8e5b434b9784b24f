"""Reference solvers, and scripted agents: one for each way in which an episode can end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Json, Solver


def exact(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Empties the urn in three draws, with an answer after the first, and counts."""
    balls = _balls(brief)
    call("manual", {})
    red = _draw(call, balls // 2)
    call("answer", {"text": str(2 * red)})
    call("rest", {})
    red += _draw(call, balls - balls // 2 - 1) + _draw(call, 1)
    _finish(call, str(red))


def guess(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Weighs the urn and guesses among the numbers with that weight."""
    grams: Any = call("weigh", {}).parts[0]
    least = (grams["grams"] - 100 * _balls(brief)) // 10 * 4
    _finish(call, str(min(least + stream.below(4), _balls(brief))))


def privileged(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Is told the truth and writes it down."""
    _finish(call, str(hidden["colours"].count("r")))


def coder(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Looks at every ball with two programs."""
    steps: list[Json] = [{"tool": "look", "arguments": {"at": at}} for at in range(_balls(brief))]
    half = len(steps) // 2
    printed = [str(call("run_code", {"program": part}).parts[0]) for part in (steps[:half], steps[half:])]
    _finish(call, str("\n".join(printed).count("red")))


def contrarian(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Draws until it sees a red ball, answers that there is none, and leaves without a word."""
    while _draw(call, 1) == 0:
        pass
    call("answer", {"text": "0"})


def careless(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Writes down what is no number."""
    _finish(call, "a few")


def doomed(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Draws all balls at once."""
    call("draw", {"n": _balls(brief)})


def crasher(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Runs a program that meets the world's defect."""
    look: Json = {"tool": "look", "arguments": {"at": 0}}
    call("run_code", {"program": [look, {"tool": "shake", "arguments": {}}, look]})


def silent(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Draws a ball and says nothing."""
    _draw(call, 1)


def restless(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Answers more often than it may, and weighs until it is stopped."""
    for n in range(5):
        call("answer", {"text": str(n)})
    while True:
        call("weigh", {})


def _balls(brief: Brief) -> int:
    return brief.limits["draw"]


def _draw(call: Call, n: int) -> int:
    came: Any = call("draw", {"n": n}).parts[0]
    red: int = came["red"]
    return red


def _finish(call: Call, text: str) -> None:
    call("answer", {"text": text})
    call("finish", {})


SOLVERS: Mapping[str, Solver] = {
    name: Solver(act, (act.__doc__ or "").strip(), privileged=act is privileged)
    for name, act in {
        "exact": exact,
        "guess": guess,
        "privileged": privileged,
        "coder": coder,
        "contrarian": contrarian,
        "careless": careless,
        "doomed": doomed,
        "crasher": crasher,
        "silent": silent,
        "restless": restless,
    }.items()
}
