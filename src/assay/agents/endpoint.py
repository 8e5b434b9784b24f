"""How this machine reaches a model: key, address, file and time limit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Endpoint:
    """How this machine reaches a model, and how long a reply may take.

    `key`, `address` and `pass_on` name environment variables, never their values; `file` is the path of a
    model in process; `timeout` in seconds.
    """

    key: str | None = None
    address: str | None = None
    file: str | None = None
    pass_on: tuple[str, ...] = field(default_factory=tuple)
    timeout: float = 600.0

    def facts(self) -> Mapping[str, Any]:
        """The same as keyword arguments."""
        return vars(self)
