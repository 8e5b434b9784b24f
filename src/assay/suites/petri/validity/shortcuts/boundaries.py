"""Shortcuts at tier L4: answers that the range, or the public package, suggests.

What the public simulation says of other contexts takes 1,700 runs a world. It is committed, and the long tier
of the tests finds it again.

    python -m assay.suites.petri.validity.shortcuts.boundaries     # finds it and writes the file
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from assay import canonical
from assay.numbers import rng
from assay.numbers.rng import Stream
from assay.protocol import Brief, Call
from assay.suites.petri.boundary import narrow
from assay.suites.petri.boundary.tasks import draw, halved
from assay.suites.petri.boundary.transitions import TRANSITIONS
from assay.suites.petri.solvers.client import Client
from assay.writing import write_whole

DATA_FILES = ("../../data/public_boundaries.json",)

LIBRARY = 12
"""Number of contexts of a world whose boundaries `prior` finds in the public simulation."""

HALF = 0.15
AROUND = 0.2
"""Half the length of an interval, and the distance of supporting measurements, as shares of the range."""


def form(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Answer the middle of the range without a measurement."""
    low, high = Client(brief, call).facts["range"]
    width = high - low
    ends = {"low": low + (0.5 - HALF) * width, "high": low + (0.5 + HALF) * width}
    call("submit", {"estimate": low + 0.5 * width, **ends})


def dummy(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Measure once, at a place drawn by chance, and answer that place."""
    low, high = Client(brief, call).facts["range"]
    width = high - low
    place = low + (HALF + (1.0 - 2.0 * HALF) * stream.uniform()) * width
    call("measure", {"value": place})
    call("submit", {"estimate": place, "low": place - HALF * width, "high": place + HALF * width})


def middle(brief: Brief, call: Call, stream: Stream, hidden: Any) -> None:
    """Answer the middle of the range after a measurement on each side of it."""
    _stage(Client(brief, call), 0.5)


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
def _boundaries(world: str) -> list[float]:
    """Return the committed boundaries of contexts that are drawn like those of tasks."""
    known: Any = canonical.loads(_path().read_bytes())
    boundaries: list[float] = known[world]
    return boundaries


def library(world: str) -> list[float]:
    """Return these boundaries as the public simulation gives them."""
    transition = TRANSITIONS[world]
    streams = (rng.stream(0, "petri", "shortcut-prior", world, k) for k in range(LIBRARY))
    return [halved(transition, draw(transition, stream, narrow.CHANGED)) for stream in streams]


def _path() -> Path:
    return Path(__file__).parent / DATA_FILES[0]


def _stage(client: Client, place: float) -> None:
    """Measure on both sides of a place of the range, and answer it."""
    low, high = client.facts["range"]

    def at(share: float) -> float:
        return float(low + min(1.0, max(0.0, share)) * (high - low))

    for share in (place - AROUND, place + AROUND):
        client.call("measure", {"value": at(share)})
    client.call("submit", {"low": at(place - HALF), "estimate": at(place), "high": at(place + HALF)})


def main() -> None:
    """Find the boundaries of all worlds and write the committed file."""
    write_whole(_path(), canonical.dumps({world: library(world) for world in sorted(TRANSITIONS)}) + "\n")


if __name__ == "__main__":
    main()
