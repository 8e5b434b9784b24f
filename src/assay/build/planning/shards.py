"""How items are cut into jobs.

A shard is as many items in a row as the costs in the configuration put into `seconds_per_job`. A set that is
small by itself shares a shard with its neighbours; a large one is cut, and shares none, so that another set
beside it moves no boundary. Results do not depend on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.config.models import Project


@dataclass(frozen=True)
class Span:
    """The tasks of a set from `first` to `last` (not included); checks have the empty name as their set."""

    task_set: str
    first: int
    last: int


@dataclass(frozen=True)
class Shard:
    """What one job works on: its number, and spans in the order of their sets."""

    number: int
    spans: tuple[Span, ...]

    @property
    def as_json(self) -> list[list[str | int]]:
        return [[span.task_set, span.first, span.last] for span in self.spans]


def size(items: int, cost: float, project: Project) -> int:
    """How many items a shard holds.

    Args:
        items: all items.
        cost: seconds of one item.
        project: its `seconds_per_job` is the aim, and its `shard_size` overrides it.
    """
    most = max(items, 1)
    # No number of seconds or costs is too large or too small: the quotient is cut before it is rounded.
    by_cost = int(min(project.seconds_per_job / cost, most))
    fixed = project.shard_size
    return min(max(most if fixed == "all" else fixed or by_cost, 1), most)


def cut(sizes: Mapping[str, int], size: int) -> tuple[Shard, ...]:
    """Divide task sets into shards.

    Args:
        sizes: the size of each set by its name, in order.
        size: the largest number of items of a shard.

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
