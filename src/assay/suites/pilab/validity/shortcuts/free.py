"""Every action that costs nothing, without leading the lab."""

from __future__ import annotations

from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call
from assay.suites.pilab.environment.parameters import TOPICS
from assay.suites.pilab.interface.client import Client
from assay.suites.pilab.solvers import HarnessClient
from assay.suites.pilab.validity import exploits
from assay.suites.pilab.validity.shortcuts.passing import work


def play(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Each month: unpaid managers, assistants for collaborations, all as authors, every event accepted."""
    client = HarnessClient(brief, call)

    def dummy(_: Client) -> None:
        work(client, lambda: stream.choice(TOPICS))
        for event, kind in client.open_events():
            client.attempt("events.respond", event, "support" if kind == "student_crisis" else "accept")

    def month() -> None:
        exploits.managers(
            client, lambda _: exploits.collaboration(client, lambda _: exploits.authorship(client, dummy))
        )

    client.play(month)
