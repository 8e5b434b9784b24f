"""The order of steps: a random linear extension, and the constraints that make it the only one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from assay.numbers.rng import Stream

Pair = tuple[int, int]
"""Step a comes before step b."""


def random_extension(n: int, pairs: Iterable[Pair], stream: Stream) -> list[int]:
    """One order of n steps that the pairs allow, the next drawn among all that are ready."""
    before, after = _degrees(n, pairs)
    ready = [step for step in range(n) if before[step] == 0]
    found = []
    while ready:
        step = ready.pop(stream.below(len(ready)))
        found.append(step)
        for follower in after[step]:
            before[follower] -= 1
            if before[follower] == 0:
                ready.append(follower)
        ready.sort()
    return found


def completing(order: Sequence[int], pairs: Iterable[Pair]) -> list[Pair]:
    """The pairs of neighbours in an order that are not given yet: with them it is the only one."""
    known = set(pairs)
    return [(a, b) for a, b in pairwise(order) if (a, b) not in known]


def only_extension(n: int, pairs: Iterable[Pair]) -> list[int] | None:
    """The only order of n steps that the pairs allow (Kahn 1962), null where there are others or none."""
    before, after = _degrees(n, pairs)
    ready = [step for step in range(n) if before[step] == 0]
    found: list[int] = []
    while ready:
        if len(ready) > 1:
            return None
        step = ready.pop()
        found.append(step)
        for follower in after[step]:
            before[follower] -= 1
            if before[follower] == 0:
                ready.append(follower)
    return found if len(found) == n else None


def extensions(n: int, pairs: Iterable[Pair]) -> int:
    """How many orders the pairs allow, counted over subsets; for small n, to check `only_extension`."""
    pairs = set(pairs)
    needs = [sum(1 << a for a, b in pairs if b == step) for step in range(n)]
    ways = [0] * (1 << n)
    ways[0] = 1
    for done in range(1 << n):
        if ways[done]:
            for step in range(n):
                if not done >> step & 1 and needs[step] & ~done == 0:
                    ways[done | 1 << step] += ways[done]
    return ways[-1]


def _degrees(n: int, pairs: Iterable[Pair]) -> tuple[list[int], list[list[int]]]:
    before = [0] * n
    after: list[list[int]] = [[] for _ in range(n)]
    for a, b in sorted(set(pairs)):
        before[b] += 1
        after[a].append(b)
    return before, after
