"""The chain as generators that tools and the gate know: a card, a seed and a number give a shard."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from assay.errors import AssayError
from assay.suites.collider.chain import generation, samples
from assay.suites.collider.chain.filters import FILTERS
from assay.suites.collider.chain.generation import CHUNK
from assay.suites.collider.chain.samples import Card
from assay.suites.collider.chain.searches.registry import SEARCHES
from assay.suites.collider.chain.signal import points
from assay.suites.collider.generators.registry import Generator
from assay.suites.collider.problems.orders import generator_name


def problem(paper: str, card: Mapping[str, Any]) -> str | None:
    """What is wrong with a card of that paper's generator; null where nothing is."""
    if set(card) != {"generator", "point", "filter"}:
        return f"a card of {generator_name(paper)} has the keys generator, point and filter"
    if card["filter"] not in FILTERS:
        return f"filter is one of {', '.join(FILTERS)}"
    if not isinstance(card["point"], str):
        return "point is a text such as T5Wg_1750_1700"
    try:
        points.point(card["point"])
    except AssayError as wrong:
        return f"{wrong.message}: {wrong.remedy}"
    return None


def shard(paper: str, card: Mapping[str, Any], seed: int, number: int, count: int) -> str:
    """The lines of one shard."""
    return samples.lines(samples.chunk(Card(paper, card["point"], card["filter"]), seed, number, count))


def generator(name: str) -> Generator | None:
    """The generator of that name; null where there is none, or where the chain is not installed."""
    paper = next((paper for paper in SEARCHES if generator_name(paper) == name), None)
    if paper is None or not generation.available():
        return None
    return Generator(
        samples.header(SEARCHES[paper]),
        CHUNK,
        partial(problem, paper),
        partial(shard, paper),
        f'a card is {{"generator": "{name}", "point": "<MODEL>_<masses in GeV>", "filter": "<one of '
        f'{", ".join(FILTERS)}>"}}',
    )
