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
"""The ways in which a block can end.

* `ok`: it ended normally.
* `error`: it raised an exception.
* `refused`: it attempted an operation that the sandbox denies, or the prelude's check rejected the block.
* `timeout`, `cpu`, `memory`, `output`, `disk`, `calls`: it reached this limit.
* `killed`: its interpreter ended, by a signal or by itself.
* `protocol`: it violated the message protocol, or closed the channel.
"""


@dataclass(frozen=True)
class Usage:
    """Measured wall and processor time of a block in seconds. They vary, so no result may contain them."""

    wall: float
    cpu: float


@dataclass(frozen=True)
class Outcome:
    """The record of one block.

    Attributes:
        status: How the block ended.
        stdout: Text that it printed to standard output. Together with `stderr` it has at most `Limits.output`
            bytes.
        stderr: Text that it printed to standard error.
        error: A short traceback or a sentence, or None if the status is `ok`.
        value: The value of the block's last expression, or None if there is none or it is not JSON.
        calls: For each tool, the number of calls that reached the parent.
        alive: Whether the interpreter and its variables are kept for the next block.
        usage: Measured times, which are ignored when outcomes are compared.
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
        """Return the record as a JSON value for `Door.outside`, without the measured times."""
        return {
            "status": self.status,
            "stdout": self.stdout,
            "stderr": self.stderr,
            "error": self.error,
            "value": self.value,
            "calls": dict(self.calls),
            "alive": self.alive,
        }
