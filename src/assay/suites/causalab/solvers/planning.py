"""Choice of the next intervention: the property whose effects are least certain."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import lru_cache

from assay.numbers.portable import log
from assay.suites.causalab.metrics.imec import Evidence, consistent_parents
from assay.suites.causalab.model.variables import TARGET

LARGEST = 5
"""Largest number of variables for which all graphs over the properties are enumerated."""


def most_informative(
    properties: Sequence[str], controllable: Sequence[str], evidence: Evidence
) -> str | None:
    """Return the next property to set among those not set yet, or None if none would give information.

    The information gain is the entropy of the set of properties that would change, with all graphs compatible
    with the evidence equally likely. In models of more than `LARGEST` variables, the first property that was
    not set yet is returned.
    """
    names = [TARGET, *properties]
    if len(names) > LARGEST:
        return _by_pairs(controllable, evidence)
    families = [consistent_parents(names, name, evidence) for name in properties]
    # The target is never a cause here, so its bit, the lowest, is dropped.
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
    """Return the first property that was not set yet, whose effects are all unknown, or None."""
    return next((name for name in controllable if name not in evidence.targets), None)


def _fits(parents: tuple[int, ...], minimal: list[tuple[int, ...]]) -> bool:
    return all(
        any(mask & small == small for small in family) for mask, family in zip(parents, minimal, strict=True)
    )


@lru_cache(maxsize=4)
def _graphs(n: int) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """Return all acyclic graphs over n variables, as bit masks of each variable's parents and effects."""
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
    """Return all effects of each variable as bit masks, or None if the graph has a cycle."""
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
