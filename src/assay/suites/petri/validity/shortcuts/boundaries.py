"""Shortcuts at tier L4: answers that the range, or the public package, suggests."""

from __future__ import annotations

from functools import cache
from typing import Any

from assay.numbers import rng
from assay.numbers.rng import Stream
from assay.protocol import Brief, Call
from assay.suites.petri.boundary import narrow
from assay.suites.petri.boundary.tasks import draw, halved
from assay.suites.petri.boundary.transitions import TRANSITIONS
from assay.suites.petri.solvers.client import Client

LIBRARY = 12
"""Number of contexts whose boundaries `prior` finds in the public simulation."""

HALF = 0.15
AROUND = 0.2
"""Half the length of an interval, and the distance of supporting measurements, as shares of the range."""


def middle(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Answer the middle of the range after a measurement on each side of it."""
    _stage(Client(brief, call), 0.5)


def ends(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Measure at both ends of the range, and answer where the line through both passes the level."""
    client = Client(brief, call)
    low, high = client.facts["range"]
    means = [_measure(client, value) - client.facts["level"] for value in (low, high)]
    steep = means[0] - means[1]
    place = min(0.9, max(0.1, means[0] / steep)) if steep else 0.5
    _stage(client, place)


def prior(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Answer the place of the range in which most boundaries of the public simulation lie."""
    client = Client(brief, call)
    low, high = client.facts["range"]
    width = high - low
    places = [(known - low) / width for known in _boundaries(client.facts["world"])]
    inside = [k / 20 for k in range(2, 19)]
    best = max(inside, key=lambda x: sum(max(0.0, 1.0 - abs(x - place) / HALF) for place in places))
    _stage(client, best)


@cache
def _boundaries(world: str) -> tuple[float, ...]:
    """Return boundaries of contexts that are drawn like those of tasks."""
    transition = TRANSITIONS[world]
    streams = (rng.stream(0, "petri", "shortcut-prior", world, k) for k in range(LIBRARY))
    return tuple(halved(transition, draw(transition, stream, narrow.CHANGED)) for stream in streams)


def _stage(client: Client, place: float) -> None:
    """Measure on both sides of a place of the range, and answer it."""
    low, high = client.facts["range"]

    def at(share: float) -> float:
        return float(low + min(1.0, max(0.0, share)) * (high - low))

    for share in (place - AROUND, place + AROUND):
        _measure(client, at(share))
    client.call("submit", {"low": at(place - HALF), "estimate": at(place), "high": at(place + HALF)})


def _measure(client: Client, value: float) -> float:
    shown: Any = client.call("measure", {"value": value}).parts[0]
    return float(shown["mean"])
