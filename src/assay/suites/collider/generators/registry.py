"""Registry of the generators of events: samples are made from a card and a seed, shard by shard.

A shard depends only on card, seed and its number, so that any part of a sample can be made again and
compared. The tool `generate` and the provenance examination use generators only through this interface.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import AssayError
from assay.suites.collider.generators import mock
from assay.suites.collider.problems.orders import prefix_of

Card = dict[str, Any]


class NothingPasses(AssayError):
    """A card asks for events that the generator never makes."""


@dataclass(frozen=True)
class Sample:
    """A sample as a CSV file, and the sha256 (hex) of the lines of each shard."""

    data: bytes
    shards: tuple[str, ...]


@dataclass(frozen=True)
class Generator:
    """A generator of events, which makes samples from cards.

    Attributes:
        columns: the columns of a sample.
        shard_events: the events of a full shard.
        card_problem: returns what is wrong with a card; None if it is valid.
        lines: `lines(card, seed, number, count)` returns the `count` lines of CSV of a shard.
        card_doc: a description of its cards.
        shares: returns the factors of the branching fraction of a card's sample.
        rate_of: returns process and mass (GeV) of the cross section that belongs to a card; None if any may.
        at_will: whether events cost so little that the examination can make many.
        variables: returns the paper's variables from the columns of a sample that does not hold them; None if
            they are columns of the sample.
        rerun_events: number of new events on which the provenance examination runs an analysis again.
    """

    columns: tuple[str, ...]
    shard_events: int
    card_problem: Callable[[Card], str | None]
    lines: Callable[[Card, int, int, int], str]
    card_doc: str
    shares: Callable[[Card], tuple[float, ...]] = lambda card: ()
    rate_of: Callable[[Card], tuple[str, float] | None] = lambda card: None
    rerun_events: int = 500
    at_will: bool = False
    variables: Callable[[Mapping[str, Sequence[float]]], Mapping[str, Any]] | None = None

    def shard_count(self, events: int) -> int:
        """Return the number of shards of a sample of `events` events."""
        return -(-events // self.shard_events)

    def shard(self, card: Card, seed: int, events: int, number: int) -> str:
        """Return the lines of one shard of a sample of `events` events of a valid card."""
        count = min(self.shard_events, events - number * self.shard_events)
        return self.lines(card, seed, number, count)

    def joined(self, shards: Sequence[str]) -> Sample:
        """Return the sample that consists of these shards."""
        head = ",".join(self.columns) + "\n"
        return Sample((head + "".join(shards)).encode(), tuple(map(digest, shards)))


GENERATORS: Mapping[str, Generator] = {
    mock.NAME: Generator(
        mock.COLUMNS,
        mock.SHARD,
        mock.card_problem,
        mock.shard,
        'a card is {"generator": "mock", "point": "Mock_<mass>", "mass": <mass in GeV>}',
        shares=lambda card: (mock.BRANCHING,),
        rate_of=lambda card: (mock.PROCESS, float(card["mass"])),
        rerun_events=2 * mock.SHARD,
        at_will=True,
    )
}


def find(name: str) -> Generator | None:
    """Return the generator with this name; None if there is none, or its programs are not installed."""
    if prefix_of(name):
        from assay.suites.collider.chain import samples

        return samples.generator(name)
    return GENERATORS.get(name)


def of_card(card: Card) -> Generator:
    """Return the generator of a valid card."""
    generator = find(card["generator"])
    assert generator is not None
    return generator


def card_problem(card: Card) -> str | None:
    """Return what is wrong with a card; None if it is valid."""
    generator = find(str(card.get("generator")))
    if generator is None:
        return f"generator is one of {', '.join(GENERATORS)}"
    return generator.card_problem(card)


def generate(card: Card, seed: int, events: int) -> Sample:
    """Return the sample of a valid card."""
    generator = of_card(card)
    shards = [generator.shard(card, seed, events, n) for n in range(generator.shard_count(events))]
    return generator.joined(shards)


def digest(lines: str) -> str:
    """Return the sha256 (hex) of the lines of a shard."""
    return hashlib.sha256(lines.encode()).hexdigest()
