"""Samples: the variables of a search for every generated event, chunk by chunk, as arrays and as CSV.

A line is one event. Values are rounded to three decimals before anything looks at them, so that a selection
sees what is written down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from assay.numbers import rng
from assay.suites.collider.chain import generation
from assay.suites.collider.chain.detector import objects
from assay.suites.collider.chain.generation import CHUNK, Source
from assay.suites.collider.chain.searches.registry import SEARCHES, Search
from assay.suites.collider.chain.signal import points
from assay.suites.collider.problems.orders import generator_name

DECIMALS = 3


@dataclass(frozen=True)
class Card:
    """What is generated: a point with a filter, as one paper sees it."""

    paper: str
    point: str
    filter_name: str

    def to_json(self) -> dict[str, str]:
        """Return the card as tools and ledger have it."""
        return {"generator": generator_name(self.paper), "point": self.point, "filter": self.filter_name}


Columns = Mapping[str, np.ndarray]
"""One array a variable; `event_id` and `drawn` (hard processes drawn for the event) come first."""


@lru_cache(maxsize=2)
def source(point: str, filter_name: str) -> Source:
    """The generator for a point, kept for the next chunk."""
    return Source(points.point(point), filter_name)


def chunk(card: Card, seed: int, number: int, count: int = CHUNK) -> Columns:
    """The variables of the first `count` events of a chunk."""
    search = SEARCHES[card.paper]
    generated = source(card.point, card.filter_name).chunk(seed, number, count)
    stream = rng.stream(seed, "collider", "detector", card.point, card.filter_name, number)
    return table(search, generated, stream, number)


def table(search: Search, generated: generation.Chunk, stream: rng.Stream, number: int) -> Columns:
    """The variables of a search for generated events, rounded."""
    values = search.compute(objects.reconstruct(generated, stream, search.apparatus))
    columns = {name: np.round(values[name], DECIMALS) + 0.0 for name in search.variables}
    ids = np.arange(len(generated)) + number * CHUNK
    return {"event_id": ids, "drawn": generated.drawn, **columns}


def chunks(events: int) -> list[tuple[int, int]]:
    """The numbers of the chunks of a sample, and how many events each has."""
    return [(number, min(CHUNK, events - number * CHUNK)) for number in range(-(-events // CHUNK))]


def joined(parts: Sequence[Columns]) -> Columns:
    """Chunks one after another."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def sample(card: Card, seed: int, events: int) -> Columns:
    """The variables of the first `events` events of a card and seed."""
    return joined([chunk(card, seed, number, count) for number, count in chunks(events)])


def header(search: Search) -> tuple[str, ...]:
    """The names of the columns of a sample."""
    return ("event_id", "drawn", *search.variables)


def lines(columns: Columns) -> str:
    """The lines of CSV of a sample, without their header."""
    texts = [
        [f"{value:d}" if whole else f"{value:.{DECIMALS}f}" for value in array.tolist()]
        for array, whole in ((a, np.issubdtype(a.dtype, np.integer)) for a in columns.values())
    ]
    return "".join(",".join(row) + "\n" for row in zip(*texts, strict=True))
