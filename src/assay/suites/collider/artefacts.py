"""Samples of the physics chain, shared by tasks with the same signal point.

An artefact holds a group of shards. Each of its lines has the search variables of one event. Particles are
never written to disk: those of one event take about 32 kB, its variables only 60 to 100 bytes.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from assay import canonical
from assay.protocol import Artefacts, Key, Materials
from assay.suites.collider.problems import kept, orders
from assay.task import Task

if TYPE_CHECKING:  # the workflow plan calls `needs`, which must not import numpy
    from assay.suites.collider.generators.registry import Card, Generator, Sample
    from assay.suites.collider.provenance.case import Shard

GROUP = 2_000
"""Number of events in one artefact, a multiple of the shard size; about half a minute on one core."""


def needs(stage: str, task: Task | None, agent: str) -> tuple[Key, ...]:
    """Return the keys of the samples that a job will ask for.

    Args:
        stage: the stage of the job.
        task: a task of the job; None for the stage as a whole.
        agent: the name of the agent that plays.
    """
    order = None
    if task is not None and stage in ("episodes", "audit"):
        lender = orders.LENDERS.get(agent, agent)
        order = orders.order_of(lender, task.task_set, task.public)
    if order is None or kept.of_card(order.card, order.seed, order.events) is not None:
        return ()
    return tuple(_key(dict(order.card), order.seed, group) for group in range(order.events // GROUP))


def make(key: Key, materials: Materials, out: Path) -> None:
    """Write the shards of one group of events as lines of CSV without a header.

    Args:
        key: has the card, the seed and the number of the group.
        materials: not used.
        out: the file to write.
    """
    from assay.suites.collider.generators import registry as generators

    asked = canonical.loads(key.params)
    card, seed = asked["card"], asked["seed"]
    generator = generators.of_card(card)
    each = GROUP // generator.shard_events
    end = (key.shard + 1) * GROUP
    shards = (generator.shard(card, seed, end, key.shard * each + n) for n in range(each))
    out.write_text("".join(shards), encoding="ascii")


def sample(card: Card, seed: int, events: int, artefacts: Artefacts) -> Sample:
    """Return the sample of a valid card, with the same bytes as `generators.generate`.

    Whole shards of a kept sample are read from it, whole groups of another one of the physics chain from
    their artefacts; the rest is generated here.
    """
    from assay.suites.collider.generators import registry as generators

    if not orders.prefix_of(str(card["generator"])):
        return generators.generate(card, seed, events)
    shards: list[str] = []
    generator = generators.of_card(card)
    size = generator.shard_events
    whole = kept.of_card(card, seed, events)
    if whole is not None:
        lines = kept.lines(whole)[: events // size * size]
        shards = ["".join(lines[at : at + size]) for at in range(0, len(lines), size)]
    for group in range(0 if whole is not None else events // GROUP):
        lines = artefacts.get(_key(card, seed, group)).read_text(encoding="ascii").splitlines(keepends=True)
        shards += ("".join(lines[at : at + size]) for at in range(0, GROUP, size))
    rest = range(len(shards), generator.shard_count(events))
    shards += (generator.shard(card, seed, events, number) for number in rest)
    return generator.joined(shards)


def shard_of(task: Task, agent: str, artefacts: Artefacts) -> Shard:
    """Return a function that makes shards again for the provenance examination of an agent's episode.

    Shards of a sample that the agent orders are read from its artefacts, which a job of its own made from
    card and seed; those of a kept sample, whose digest holds them, from that. All others are generated.
    """
    keys = needs("audit", task, agent)

    def shard(generator: Generator, card: Card, seed: int, events: int, number: int) -> str:
        size = generator.shard_events
        whole = kept.of_card(card, seed, events)
        if whole is not None and (number + 1) * size <= events:
            return "".join(kept.lines(whole)[number * size : (number + 1) * size])
        group, at = divmod(number * size, GROUP)
        key = _key(card, seed, group)
        if key not in keys or (number + 1) * size > events:
            return generator.shard(card, seed, events, number)
        lines = artefacts.get(key).read_text(encoding="ascii").splitlines(keepends=True)
        return "".join(lines[at : at + size])

    return shard


def _key(card: Card, seed: int, group: int) -> Key:
    return Key("collider", "sample", canonical.dumps({"card": card, "seed": seed}), group)
