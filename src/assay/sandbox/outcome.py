"""What became of one block of code."""

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
"""How a block ended.

`ok`: by itself. `error`: with an exception. `refused`: it asked for something that the sandbox denies and
ended with that, or the prelude's own check did not let it run. `timeout`, `cpu`, `memory`, `output`, `disk`,
`calls`: it reached that limit. `killed`: its interpreter is gone, by a signal or by itself. `protocol`: it
sent something down the channel that is no message.
"""


@dataclass(frozen=True)
class Usage:
    """What a block took, in seconds. Measured: it belongs into no result that is compared."""

    wall: float
    cpu: float


@dataclass(frozen=True)
class Outcome:
    """The record of one block.

    `stdout` and `stderr` are what came before the end, at most `Limits.output` bytes in all. `error` is a
    short traceback or a sentence, null where the ending is `ok`. `value` is that of a last expression, null
    where there is none or it is no JSON. `calls` counts the calls of each tool that reached the parent.
    With `alive` the interpreter and its variables are still there for the next block; otherwise that one
    meets a new one.
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
        """The record as a JSON value, without what was measured: for `Door.outside`."""
        return {
            "status": self.status,
            "stdout": self.stdout,
            "stderr": self.stderr,
            "error": self.error,
            "value": self.value,
            "calls": dict(self.calls),
            "alive": self.alive,
        }
