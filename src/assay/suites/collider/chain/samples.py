"""Samples: the variables of a search for every generated event, as arrays and as lines of CSV.

A line is one event. Values are rounded to three decimals before they are used, so that selections see the
values that are written. `generator` offers the samples of a paper to the registry of generators.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from assay.errors import AssayError
from assay.numbers import rng
from assay.suites.collider.chain import generation, records
from assay.suites.collider.chain.detector import objects
from assay.suites.collider.chain.detector.particles import V0
from assay.suites.collider.chain.filters import FILTERS
from assay.suites.collider.chain.generation import CHUNK, Source
from assay.suites.collider.chain.searches.registry import SEARCHES, Search
from assay.suites.collider.chain.signal import points
from assay.suites.collider.generators.registry import Generator
from assay.suites.collider.problems.orders import generator_name
from assay.suites.collider.problems.sets import CHAIN, OBJECTS

DECIMALS = 3

RERUN_EVENTS = 250
"""Number of new events on which an analysis is run again: two seconds of a core."""


@dataclass(frozen=True)
class Card:
    """The specification of a sample: a point with a filter, in the variables of a paper.

    `detector` is the version of the detector. Tools and the ledger know the first version alone. `level` is
    CHAIN for the variables of the paper, or OBJECTS for the candidates of each event, which are always
    measured by the second version.
    """

    paper: str
    point: str
    filter_name: str
    detector: str = V0
    level: str = CHAIN

    def to_json(self) -> dict[str, str]:
        """Return the card in the form that tools and the ledger use."""
        name = generator_name(self.paper, self.level)
        return {"generator": name, "point": self.point, "filter": self.filter_name}


Columns = Mapping[str, np.ndarray]
"""One array per variable; `event_id` and `drawn` (hard processes drawn for the event) come first."""


@lru_cache(maxsize=2)
def source(point: str, filter_name: str) -> Source:
    """Return the generator for a point and filter.

    The last two are kept, because setting one up takes about a second.
    """
    return Source(points.point(point), filter_name)


def chunk(card: Card, seed: int, number: int, count: int = CHUNK) -> Columns:
    """The variables of the first `count` events of a chunk."""
    search = SEARCHES[card.paper]
    generated = source(card.point, card.filter_name).chunk(seed, number, count)
    stream = rng.stream(seed, "collider", "detector", card.point, card.filter_name, number)
    if card.level == OBJECTS:
        return _numbered(generated, number, records.table(card.paper, generated, stream))
    if card.detector != search.apparatus.card:
        search = replace(search, apparatus=replace(search.apparatus, card=card.detector))
    return table(search, generated, stream, number)


def table(search: Search, generated: generation.Chunk, stream: rng.Stream, number: int) -> Columns:
    """Return the variables of a search for generated events, rounded to `DECIMALS`."""
    values = search.compute(objects.reconstruct(generated, stream, search.apparatus))
    return _numbered(generated, number, {name: values[name] for name in search.variables})


def _numbered(generated: generation.Chunk, number: int, values: Columns) -> Columns:
    """Return columns with the number of each event before them, rounded unless they are whole numbers."""
    columns = {
        name: array if np.issubdtype(array.dtype, np.integer) else np.round(array, DECIMALS) + 0.0
        for name, array in values.items()
    }
    ids = np.arange(len(generated)) + number * CHUNK
    return {"event_id": ids, "drawn": generated.drawn, **columns}


def chunks(events: int) -> list[tuple[int, int]]:
    """Return the number of each chunk of a sample and its count of events."""
    return [(number, min(CHUNK, events - number * CHUNK)) for number in range(-(-events // CHUNK))]


def joined(parts: Sequence[Columns]) -> Columns:
    """Return the concatenation of chunks."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def sample(card: Card, seed: int, events: int) -> Columns:
    """The variables of the first `events` events of a card and seed."""
    return joined([chunk(card, seed, number, count) for number, count in chunks(events)])


def meanings(paper: str, level: str = CHAIN) -> Mapping[str, str]:
    """Return the meaning of each column of a paper's samples, but for `event_id` and `drawn`."""
    return records.VARIABLES if level == OBJECTS else SEARCHES[paper].variables


def header(paper: str, level: str = CHAIN) -> tuple[str, ...]:
    """The names of the columns of a sample."""
    return ("event_id", "drawn", *meanings(paper, level))


def lines(columns: Columns) -> str:
    """The lines of CSV of a sample, without their header."""
    texts = [
        [f"{value:d}" if whole else f"{value:.{DECIMALS}f}" for value in array.tolist()]
        for array, whole in ((a, np.issubdtype(a.dtype, np.integer)) for a in columns.values())
    ]
    return "".join(",".join(row) + "\n" for row in zip(*texts, strict=True))


def card_problem(name: str, card: Mapping[str, Any]) -> str | None:
    """Return what is wrong with a card of the generator of that name; None if it is valid."""
    if set(card) != {"generator", "point", "filter"}:
        return f"a card of {name} has the keys generator, point and filter"
    if card["filter"] not in FILTERS:
        return f"filter is one of {', '.join(FILTERS)}"
    if not isinstance(card["point"], str):
        return "point is a text such as T5Wg_1750_1700"
    try:
        points.point(card["point"])
    except AssayError as wrong:
        return f"{wrong.message}: {wrong.remedy}"
    return None


def shard(paper: str, card: Mapping[str, Any], seed: int, number: int, count: int, level: str = CHAIN) -> str:
    return lines(chunk(Card(paper, card["point"], card["filter"], level=level), seed, number, count))


def shares(card: Mapping[str, Any]) -> tuple[float, ...]:
    """Return the factors of the branching fraction: the states of the model, and the decays generated."""
    point = points.point(card["point"])
    return point.states, points.generated_share(point)


def rate_of(card: Mapping[str, Any]) -> tuple[str, float]:
    """Return process and mass of the cross section of a card's point."""
    point = points.point(card["point"])
    return point.process, point.mass


def generator(name: str) -> Generator | None:
    """Return the generator with this name; None if there is none or the chain is not installed."""
    offered = [(paper, CHAIN) for paper in SEARCHES] + [(paper, OBJECTS) for paper in records.PAPERS]
    named = next(((paper, level) for paper, level in offered if generator_name(paper, level) == name), None)
    if named is None or not generation.available():
        return None
    paper, level = named
    return Generator(
        header(paper, level),
        CHUNK,
        partial(card_problem, name),
        partial(shard, paper, level=level),
        f'a card is {{"generator": "{name}", "point": "<MODEL>_<masses in GeV>", "filter": "<one of '
        f'{", ".join(FILTERS)}>"}}',
        shares=shares,
        rate_of=rate_of,
        rerun_events=RERUN_EVENTS,
        variables=partial(records.variables, paper) if level == OBJECTS else None,
    )
