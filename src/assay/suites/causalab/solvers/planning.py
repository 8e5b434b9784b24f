"""Which property to set next: the one whose effects are least certain."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import lru_cache

from assay.numbers.portable import log
from assay.suites.causalab.metrics.imec import Evidence, consistent_parents
from assay.suites.causalab.model.variables import TARGET

LARGEST = 5
"""Variables up to which all graphs over the properties are enumerated; beyond, pairs are counted."""


def most_informative(
    properties: Sequence[str], controllable: Sequence[str], evidence: Evidence
) -> str | None:
    """The property to set next, of those that were not set yet; None where none would tell anything.

    The gain is the entropy of the set of properties that would move, over all graphs that the evidence
    leaves, each as likely; in larger models the number of pairs about which nothing is known.
    """
    names = [TARGET, *properties]
    if len(names) > LARGEST:
        return _by_pairs(controllable, evidence)
    families = [consistent_parents(names, name, evidence) for name in properties]
    # The target is nobody's cause here: its bit, the lowest, is dropped.
    minimal = [tuple(mask >> 1 for mask in family) for family in families]
    graphs = [g for g in _graphs(len(properties)) if _fits(g[0], minimal)]
    if not graphs:
        return _by_pairs(controllable, evidence)
    best, name_of_best = 1e-9, None
    for name in controllable:
        if name in evidence.targets:
            continue
        at = list(properties).index(name)
        counts: dict[int, int] = {}
        for _, below in graphs:
            counts[below[at]] = counts.get(below[at], 0) + 1
        gain = 0.0
        for count in counts.values():
            share = count / len(graphs)
            gain -= share * float(log(share))
        if gain > best + 1e-12:
            best, name_of_best = gain, name
    return name_of_best


def _by_pairs(controllable: Sequence[str], evidence: Evidence) -> str | None:
    """The first property that was not set yet: its effects on all others are open."""
    return next((name for name in controllable if name not in evidence.targets), None)


def _fits(parents: tuple[int, ...], minimal: list[tuple[int, ...]]) -> bool:
    return all(
        any(mask & small == small for small in family) for mask, family in zip(parents, minimal, strict=True)
    )


@lru_cache(maxsize=4)
def _graphs(n: int) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """All acyclic graphs over n variables: parents of each as bit masks, and all effects of each."""
    graphs = []
    pairs = list(itertools.combinations(range(n), 2))
    for choice in itertools.product((0, 1, 2), repeat=len(pairs)):
        parents = [0] * n
        for (a, b), way in zip(pairs, choice, strict=True):
            if way == 1:
                parents[b] |= 1 << a
            elif way == 2:
                parents[a] |= 1 << b
        below = _effects(parents)
        if below is not None:
            graphs.append((tuple(parents), below))
    return tuple(graphs)


def _effects(parents: list[int]) -> tuple[int, ...] | None:
    """All effects of each variable; None where the graph has a cycle."""
    n = len(parents)
    below = [0] * n
    left, done = set(range(n)), 0
    while left:
        ready = [node for node in left if not any(parents[other] >> node & 1 for other in left)]
        if not ready:
            return None
        for node in sorted(ready):
            for child in range(n):
                if parents[child] >> node & 1:
                    below[node] |= 1 << child | below[child]
            left.discard(node)
            done += 1
    return tuple(below)
