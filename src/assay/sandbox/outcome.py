"""The outcome of one block of code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from assay.protocol import Json

Ending = Literal[
    "ok",
    "error",
    "refused",
    "timeout",
    "cpu",
    "memory",
    "output",
    "disk",
    "calls",
    "killed",
    "protocol",
]
"""The endings of a block.

* `ok`: normally; `error`: with an exception.
* `refused`: by an operation that the sandbox denies, or the check of the prelude did not let the block run.
* `timeout`, `cpu`, `memory`, `output`, `disk`, `calls`: at that limit.
* `killed`: its interpreter ended, by a signal or by itself.
* `protocol`: it sent something that is not a message.
"""


@dataclass(frozen=True)
class Usage:
    """Measured wall and processor time of a block in seconds, which no compared result may hold."""

    wall: float
    cpu: float


@dataclass(frozen=True)
class Outcome:
    """The record of one block.

    Attributes:
        status: How it ended.
        stdout: Printed text, with `stderr` at most `Limits.output` bytes.
        stderr: Printed errors and warnings.
        error: A short traceback or a sentence; None where the status is `ok`.
        value: The value of a last expression; None where there is none or it is not JSON.
        calls: The number of calls of each tool that reached the parent.
        alive: Whether the interpreter and its variables are kept for the next block.
        usage: Measured times; they do not count in comparisons.
    """

    status: Ending
    stdout: str
    stderr: str
    error: str | None
    value: Json
    calls: Mapping[str, int]
    alive: bool
    usage: Usage = field(compare=False)

    def to_json(self) -> dict[str, Json]:
        """The record as a JSON value without measured times, as `Door.outside` needs it."""
        return {
            "status": self.status,
            "stdout": self.stdout,
            "stderr": self.stderr,
            "error": self.error,
            "value": self.value,
            "calls": dict(self.calls),
            "alive": self.alive,
        }
