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
        share: the probability in per cent.
        stream: of the episode; every inference has a stream of its own below it.
    """

    share: int
    stream: Stream

    def right(self, *inference: str | int) -> bool:
        """Whether the inference of that name is right; the same at every call."""
        return self.stream.child("inference", *inference).below(100) < self.share


Method = Callable[[Brief, Call, Luck, Any], None]
"""A sound method: its brief, the harness, which inferences are right, and the truth where it is told."""


def abilities(method: Method, doc: str, *, privileged: bool) -> Mapping[str, Solver]:
    """The solvers `able-0` to `able-100` of a method.

    Args:
        method: plays an episode and asks `Luck` before each inference.
        doc: what the method does.
        privileged: whether the method needs the truth to know a right inference from a wrong one.
    """
    return {
        f"able-{share}": Solver(
            partial(_play, method, share), f"{doc} {share} % of its inferences are right.", privileged
        )
        for share in ABILITIES
    }


def _play(method: Method, share: int, brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    method(brief, call, Luck(share, stream), hidden)
