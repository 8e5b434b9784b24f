"""Planted abilities: every ball is looked at, and its colour is read rightly with a known probability."""

from __future__ import annotations

from typing import Any

from assay.protocol import Brief, Call
from assay.validity.planted import Luck, abilities


def play(brief: Brief, call: Call, luck: Luck, hidden: Any) -> None:
    """Draw half of the balls, then the rest but one, and misread some of them."""
    balls = brief.limits["draw"]
    for n in (balls // 2, balls - balls // 2 - 1):
        call("draw", {"n": n})
    read = sum((colour == "r") == luck.right("ball", at) for at, colour in enumerate(hidden["colours"]))
    call("answer", {"text": str(read)})
    call("finish", {})


ABILITIES = abilities(play, "Looks at every ball.", privileged=True)
