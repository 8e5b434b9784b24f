"""Generators of events, by name: what a card says is made from a seed, shard by shard.

A shard is a function of card, seed and its number, so that any part of a sample can be made again and
compared. `run_analysis`, the gate and the tool `generate` know generators by this interface alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.suites.collider.generators import mock
from assay.suites.collider.problems.orders import CHAIN_PREFIX as CHAIN_PREFIX

Card = dict[str, Any]


@dataclass(frozen=True)
class Generator:
    """One generator.

    `shard(card, seed, number, count)` gives `count` lines of CSV with the columns of `columns`;
    `shard_events` is the size of a full shard, `card_problem` says what is wrong with a card or null,
    `card_doc` what a card holds.
    """

    columns: tuple[str, ...]
    shard_events: int
    card_problem: Callable[[Card], str | None]
    shard: Callable[[Card, int, int, int], str]
    card_doc: str


GENERATORS: Mapping[str, Generator] = {
    mock.NAME: Generator(
        mock.COLUMNS,
        mock.SHARD,
        mock.card_problem,
        mock.shard,
        'a card is {"generator": "mock", "point": "Mock_<mass>", "mass": <mass in GeV>}',
    )
}


def find(name: str) -> Generator | None:
    """The generator of that name; null where there is none, or where its programs are not installed."""
    if name.startswith(CHAIN_PREFIX):
        from assay.suites.collider.chain import cards

        return cards.generator(name)
    return GENERATORS.get(name)


@dataclass(frozen=True)
class Sample:
    """A sample as a CSV file, and the sha256 (hex) of the lines of each shard."""

    data: bytes
    shards: tuple[str, ...]


def card_problem(card: Card) -> str | None:
    """What is wrong with a card; null where nothing is."""
    known = find(str(card.get("generator")))
    if known is None:
        return f"generator is one of {', '.join(GENERATORS)}"
    return known.card_problem(card)


def generate(card: Card, seed: int, events: int) -> Sample:
    """The sample of a legal card."""
    return joined(card, [shard(card, seed, events, number) for number in range(shard_count(card, events))])


def shard(card: Card, seed: int, events: int, number: int) -> str:
    """The lines of one shard of a sample of `events` events."""
    return _shard(_of(card), card, seed, events, number)


def joined(card: Card, shards: Sequence[str]) -> Sample:
    """The sample of a card that consists of these shards."""
    head = ",".join(_of(card).columns) + "\n"
    return Sample((head + "".join(shards)).encode(), tuple(_digest(part) for part in shards))


def regenerate(card: Card, seed: int, events: int, number: int) -> str:
    """The sha256 (hex) of one shard, made again."""
    return _digest(shard(card, seed, events, number))


def shard_events(card: Card) -> int:
    """How many events a full shard of a legal card has."""
    return _of(card).shard_events


def shard_count(card: Card, events: int) -> int:
    """How many shards a sample of a legal card has."""
    return _shards(_of(card), events)


def _of(card: Card) -> Generator:
    """The generator of a legal card."""
    found = find(card["generator"])
    assert found is not None
    return found


def _shard(generator: Generator, card: Card, seed: int, events: int, number: int) -> str:
    count = min(generator.shard_events, events - number * generator.shard_events)
    return generator.shard(card, seed, number, count)


def _shards(generator: Generator, events: int) -> int:
    return -(-events // generator.shard_events)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
