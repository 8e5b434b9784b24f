"""Divide items (tasks, episodes, checks) into shards, each of which is the work of one job.

The size of a shard follows from the configuration: as many items as take `seconds_per_job` at the cost of an
item. Small sets share a shard with their neighbours. A set larger than a shard is divided and shares none of
its shards, so that its boundaries do not depend on other sets. Results do not depend on the division.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.config.models import Project


@dataclass(frozen=True)
class Span:
    """The tasks of a set with the indices `first` (included) to `last` (excluded).

    A span of checks has an empty name as its set.
    """

    task_set: str
    first: int
    last: int


@dataclass(frozen=True)
class Shard:
    """The items of one job: the number of the shard, and its spans in the order of their sets."""

    number: int
    spans: tuple[Span, ...]

    @property
    def as_json(self) -> list[list[str | int]]:
        return [[span.task_set, span.first, span.last] for span in self.spans]


def size(items: int, cost: float, project: Project) -> int:
    """Return the number of items in a shard.

    Args:
        items: The number of all items.
        cost: Seconds that one item takes.
        project: Its `seconds_per_job` is the time aimed at for a shard; its `shard_size`, if given, is used
            instead.
    """
    most = max(items, 1)
    # `min` comes before `int`, because the quotient of extreme settings can be infinite.
    by_cost = int(min(project.seconds_per_job / cost, most))
    fixed = project.shard_size
    return min(max(most if fixed == "all" else fixed or by_cost, 1), most)


def cut(sizes: Mapping[str, int], size: int) -> tuple[Shard, ...]:
    """Divide task sets into shards.

    Args:
        sizes: The size of each set by its name, in order.
        size: The largest number of items in a shard.

    >>> [shard.as_json for shard in cut({"a": 2, "b": 1, "c": 5}, 3)]
    [[['a', 0, 2], ['b', 0, 1]], [['c', 0, 3]], [['c', 3, 5]]]
    """
    packed: list[list[Span]] = []
    room = 0
    for task_set, items in sizes.items():
        whole = Span(task_set, 0, items)
        if items > size:
            starts = range(0, items, size)
            packed += [[Span(task_set, at, min(at + size, items))] for at in starts]
            room = 0
        elif items <= room:
            packed[-1].append(whole)
            room -= items
        elif items:
            packed.append([whole])
            room = size - items
    return tuple(Shard(number, tuple(spans)) for number, spans in enumerate(packed))
