"""Shortcuts that look at nothing: months without a decision, and projects by chance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.numbers.rng import Stream
from assay.protocol import Brief, Call
from assay.suites.pilab.environment.parameters import TOPICS
from assay.suites.pilab.solvers import HarnessClient

WORKSHOP = "W-SHOP"
"""The venue that takes most papers."""


def form(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """End every month at once."""
    HarnessClient(brief, call).play(lambda: None)


def work(client: HarnessClient, topic: Callable[[], str]) -> None:
    """Put whoever is idle on an easy project about a topic, and submit every draft to the workshop."""
    if client.month % 12 == 1:
        for applicant in client.call("recruit.applicants")[:1]:
            client.attempt("recruit.offer", applicant["id"])
    busy = client.busy()
    for member in client.members():
        if member not in busy:
            client.attempt("projects.start", topic(), 1, [member], 0)
    for draft in client.open_drafts():
        client.attempt("papers.submit", draft, WORKSHOP)


def dummy(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Do this about any topic."""
    client = HarnessClient(brief, call)
    client.play(lambda: work(client, lambda: stream.choice(TOPICS)))


def reopened(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Do this about one topic that the attempt draws: all that changes when a task is opened again."""
    client, topic = HarnessClient(brief, call), stream.choice(TOPICS)
    client.play(lambda: work(client, lambda: topic))
