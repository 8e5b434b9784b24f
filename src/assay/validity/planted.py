"""Solvers of planted ability: a sound method whose inferences are right with a known probability."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call, Solver
from assay.tables.schemas.validity import ABILITIES


@dataclass(frozen=True)
class Luck:
    """Decides which inferences of an episode are right.

    Attributes:
        share: The probability of a right inference, in per cent.
        stream: The stream of the episode; each inference has a stream of its own below it.
    """

    share: int
    stream: Stream

    def right(self, *inference: str | int) -> bool:
        """Return whether the inference with this name is right. The answer is the same at every call."""
        return self.stream.child("inference", *inference).below(100) < self.share


Method = Callable[[Brief, Call, Luck, Any], None]
"""A sound method, called with the brief, the harness, `Luck`, and the truth if it may know the truth."""


def abilities(method: Method, doc: str, *, privileged: bool) -> Mapping[str, Solver]:
    """Return the solvers `able-0` to `able-100` of a method.

    Args:
        method: Plays an episode and asks `Luck` before each inference.
        doc: A description of the method.
        privileged: Whether the method needs the truth to know a right inference from a wrong one.
    """
    return {
        f"able-{share}": Solver(
            partial(_play, method, share), f"{doc} {share} % of its inferences are right.", privileged
        )
        for share in ABILITIES
    }


def _play(method: Method, share: int, brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    method(brief, call, Luck(share, stream), hidden)
