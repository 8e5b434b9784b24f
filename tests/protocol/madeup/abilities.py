"""Planted abilities: every ball is looked at, and its colour is read rightly with a known probability."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Solver


def play(share: int, brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Draw half of the balls, then the rest but one, and misread some of them."""
    balls = brief.limits["draw"]
    for n in (balls // 2, balls - balls // 2 - 1):
        call("draw", {"n": n})
    read = 0
    for at, colour in enumerate(hidden["colours"]):
        right = stream.child("reads", at).below(100) < share
        read += (colour == "r") == right
    call("answer", {"text": str(read)})
    call("finish", {})


ABILITIES: Mapping[str, Solver] = {
    f"able-{share}": Solver(partial(play, share), f"Reads {share} % of the balls rightly.", privileged=True)
    for share in (0, 25, 50, 75, 100)
}
