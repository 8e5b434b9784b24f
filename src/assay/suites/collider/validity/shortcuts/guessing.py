"""Shortcuts without an event: a histogram in form, and a guess."""

from __future__ import annotations

from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call
from assay.suites.collider.solvers.client import Client


def form(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """One event in every bin."""
    client = Client(brief, call)
    client.submit([1.0] * len(client.binning.bins))


def dummy(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """A page of the manual for show, then a guess."""
    client = Client(brief, call)
    call("manual", {"tool": "check_submission"})
    first = 5.0 + 10.0 * stream.uniform()
    client.submit([round(first * 0.7**at, 3) for at in range(len(client.binning.bins))])
