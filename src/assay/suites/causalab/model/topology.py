"""Statistics of a set of graphs as in Table 1 of the paper: edges, forks, colliders."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.suites.causalab.model.scm import Edge, Model


@dataclass(frozen=True)
class Statistics:
    """Means over graphs, and population variances.

    A fork is a pair of effects of one variable, a collider a pair of causes. It is unshielded if no edge
    joins the pair.
    """

    nodes: int
    graphs: int
    edge_mean: float
    edge_variance: float
    fork_mean: float
    collider_mean: float
    unshielded_fork_mean: float
    unshielded_collider_mean: float


def statistics(models: Sequence[Model]) -> Statistics:
    """Return the statistics of models; raises `ValueError` if there are none or they differ in size."""
    sizes = {len(model.names) for model in models}
    if len(sizes) != 1:
        raise ValueError(f"statistics are of graphs of one size, not of {sorted(sizes)}")
    edges = [len(model.edges) for model in models]
    mean = math.fsum(edges) / len(edges)
    counted = [pairs(model.names, model.edges) for model in models]
    means = [math.fsum(column) / len(models) for column in zip(*counted, strict=True)]
    variance = math.fsum((n - mean) ** 2 for n in edges) / len(edges)
    return Statistics(sizes.pop(), len(models), mean, variance, *means)


def pairs(names: Sequence[str], edges: Sequence[Edge]) -> tuple[int, int, int, int]:
    """Return the numbers of forks, colliders, unshielded forks and unshielded colliders of one graph."""
    joined = {frozenset(edge) for edge in edges}
    counts = []
    for end in (0, 1):
        every = open_ = 0
        for name in names:
            others = [edge[1 - end] for edge in edges if edge[end] == name]
            for n, first in enumerate(others):
                for second in others[:n]:
                    every += 1
                    open_ += frozenset((first, second)) not in joined
        counts.append((every, open_))
    (forks, open_forks), (colliders, open_colliders) = counts
    return forks, colliders, open_forks, open_colliders
