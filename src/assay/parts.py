"""JSON values, references to files, and the statuses of an episode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
"""A JSON value with finite floats only."""


@dataclass(frozen=True)
class BlobRef:
    """A reference to a picture, file or long text, whose bytes are in a `Blobs`.

    Attributes:
        sha256: The hash (hex) of the bytes.
        media_type: The type, such as `image/png`.
        size: The number of bytes.
    """

    sha256: str
    media_type: str
    size: int


Part: TypeAlias = "Json | BlobRef"
"""A piece of what an agent sees: a `str` is text, any other JSON value is data."""

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
"""The status with which an episode ended.

* `done`: the episode ended with a submission.
* `no_submission`: the agent stopped without a submission.
* `invalid`: the submission cannot be read.
* `refused`: the model declined to answer.
* `truncated`: the model's answer was cut off.
* `budget`: a limit of calls, tokens or money was reached.
* `timeout`: a limit of time was reached.
* `collapsed`: the world ended the episode.
* `crashed`: the agent or the world has a defect.
* `transport`: the connection to the model was lost.
* `rejected`: a recording did not replay.
"""

NEVER_SCORED: frozenset[Status] = frozenset({"crashed", "transport", "rejected"})
"""Statuses that say nothing about an agent's ability. Such episodes have a row in the tables but no score."""
