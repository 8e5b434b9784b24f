"""A scripted model that cannot be reached."""

from __future__ import annotations

from assay.agents.transport import Reply, Request, TransportError
from assay.numbers.rng import Stream


def unreachable(request: Request, stream: Stream) -> Reply:
    """Has no connection."""
    raise TransportError("no route", again=False)
