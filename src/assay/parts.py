"""What agents and worlds exchange: JSON values, references to files, and how an episode ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
"""A JSON value with finite floats only."""


@dataclass(frozen=True)
class BlobRef:
    """Content that is never inline: a picture, a corpus, a template, an event file.

    `sha256` is of the bytes, `size` in bytes; the bytes are in a `Blobs`.
    """

    sha256: str
    media_type: str
    size: int


Part: TypeAlias = "Json | BlobRef"
"""What an agent is shown is a tuple of parts: text is a `str`, data any other JSON value."""

Status = Literal[
    "done",
    "no_submission",
    "invalid",
    "refused",
    "truncated",
    "budget",
    "timeout",
    "collapsed",
    "crashed",
    "transport",
    "rejected",
]
"""How an episode ended.

`done`: with a submission. `no_submission`: the agent stopped without one. `invalid`: with a submission
that cannot be read. `refused`: the model declined. `truncated`: its answer was cut. `budget`: a limit of
calls, tokens or money. `timeout`: a limit of time. `collapsed`: the world ended it. `crashed`: a defect of
agent or world. `transport`: the connection to a model. `rejected`: a recording that did not replay.
"""

NEVER_SCORED: frozenset[Status] = frozenset({"crashed", "transport", "rejected"})
"""Statuses that say nothing about an agent's ability: such episodes have no score, only a row."""
