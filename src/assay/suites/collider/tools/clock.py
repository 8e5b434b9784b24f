"""The time limit of a task at the level of objects: each call takes a fixed number of seconds from it.

Measured seconds differ between machines, and a replay must end where its episode did. So the prices are
those of `data/objects.yaml`, near what calls take on one core. The time that a model thinks is limited by
`limits.seconds` of its configuration.
"""

from __future__ import annotations

import re
from typing import Any

from assay.suites.collider.formats import documents

DATA_FILES = ("../data/objects.yaml",)

_WALLTIME = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?\Z")


def seconds_of(walltime: str) -> int:
    """Return the seconds of a time limit in the published form.

    Raises:
        ValueError: it is not in this form.

    >>> seconds_of("2h30m")
    9000
    """
    match = _WALLTIME.match(walltime)
    if match is None or not walltime:
        raise ValueError(f"{walltime!r} is not a time such as 2h30m")
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return 3600 * hours + 60 * minutes + seconds


class Clock:
    """The seconds that calls of one episode have taken.

    Attributes:
        limit: the time limit.
        used: what calls have taken of it.
    """

    def __init__(self, walltime: str) -> None:
        self.limit = seconds_of(walltime)
        self.used = 0.0
        self._prices: dict[str, float] = documents.packaged("objects.yaml")["clock"]

    def passed(self, tool: str, arguments: Any) -> bool:
        """Take the price of a call from the limit; return whether the call ends within it."""
        self.used += self._prices.get(tool, self._prices["call"])
        if tool == "generate":
            self.used += self._prices["event"] * arguments["events"]
        return self.used <= self.limit
