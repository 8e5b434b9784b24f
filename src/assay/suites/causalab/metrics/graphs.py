"""The graphs that are considered for a sealed linear model, and their probabilities under the declared prior.

Up to `EXACT` variables these are all graphs of the generator. Above that a sample is drawn in proportion to
the evidence, by a sum over all orders of the properties, and weighted with the prior.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from assay.numbers import rng
from assay.numbers.kernels import kernel
from assay.numbers.portable import exp, log
from assay.suites.causalab.metrics.belief import Masks

EXACT = 4
"""Largest number of variables for which all graphs are enumerated."""

SAMPLE = 800
"""Graphs that are drawn from the evidence where there are too many to enumerate."""

UNLIKELY = -100.0
"""Log prior of a drawn graph with a number of edges that the generator never draws."""

Array = NDArray[np.float64]


# ------------------------------------------------------------ the prior of the graphs


@lru_cache(maxsize=4)
def enumerated(nodes: int) -> tuple[Masks, Array]:
    """Return all graphs of the generator with the logarithms of their probabilities.

    The generator adds edges one by one, each drawn uniformly among those that are possible. So the
    probability of a set of edges follows from those of all sets with one edge less.

    >>> masks, logs = enumerated(3)
    >>> len(masks), round(math.fsum(map(math.exp, logs)), 9)
    (7, 1.0)
    """
    n = nodes - 1
    pairs = [*permutations(range(n), 2), *((a, n) for a in range(n))]
    layer = {frozenset([(a, n)]): 1.0 / n for a in range(n)}
    least, most = nodes - 1, min(nodes * (nodes - 1) // 2, 2 * nodes)
    chances: dict[frozenset[tuple[int, int]], float] = {}
    for size in range(1, most + 1):
        if size >= least:
            chances |= {edges: chance / (most - least + 1) for edges, chance in layer.items()}
        following: dict[frozenset[tuple[int, int]], float] = {}
        for edges, chance in layer.items():
            possible = [pair for pair in pairs if _addable(edges, pair)]
            for pair in possible:
                larger = edges | {pair}
                following[larger] = following.get(larger, 0.0) + chance / len(possible)
        layer = following
    rows = []
    for edges, chance in chances.items():
        causes = [sum(1 << a for a, b in edges if b == effect) for effect in range(nodes)]
        rows.append((causes, float(log(chance))))
    rows.sort()
    return np.array([row for row, _ in rows], dtype=np.int64), np.array([value for _, value in rows])


def _addable(edges: frozenset[tuple[int, int]], pair: tuple[int, int]) -> bool:
    """Tell whether an edge joins a pair that is not joined yet, and closes no cycle."""
    a, b = pair
    if pair in edges or (b, a) in edges:
        return False
    below, fresh = {b}, {b}
    while fresh:
        fresh = {effect for cause, effect in edges if cause in fresh} - below
        below |= fresh
    return a not in below


@lru_cache(maxsize=8)
def by_edges(nodes: int) -> Array:
    """Return the logarithm of a graph's probability by its number of edges, if equal numbers count equally.

    Graphs are counted by Robinson's recurrence; the target has at least one cause.

    >>> [round(math.exp(value), 3) for value in by_edges(3)[2:]]  # five graphs of two edges, two of three
    [0.1, 0.25]
    """
    n = nodes - 1
    counts = [[1]]
    for size in range(1, n + 1):
        total = [0] * (size * (size - 1) // 2 + 1)
        for k in range(1, size + 1):
            factor = (-1) ** (k + 1) * math.comb(size, k)
            between = [math.comb(k * (size - k), e) for e in range(k * (size - k) + 1)]
            for e, value in enumerate(_product(between, counts[size - k])):
                if value and e < len(total):
                    total[e] += factor * value
        counts.append(total)
    into = [0, *(math.comb(n, e) for e in range(1, n + 1))]
    graphs = _product(counts[n], into)
    least, most = nodes - 1, min(nodes * (nodes - 1) // 2, 2 * nodes)
    logs = [-math.inf] * len(graphs)
    for edges in range(least, most + 1):
        logs[edges] = -float(log(float(graphs[edges]))) - float(log(float(most - least + 1)))
    return np.array(logs)


def _product(a: Sequence[int], b: Sequence[int]) -> list[int]:
    result = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            result[i + j] += x * y
    return result


# ------------------------------------------------------------ graphs drawn from the evidence


@kernel
def _drawn(table: Array, chances: Array) -> NDArray[np.int64]:
    """Draw graphs in proportion to the evidence, over all orders of the properties.

    Each row of `chances` holds the uniform numbers of one graph: an order and a set of causes a property, and
    the causes of the target.
    """
    n = table.shape[0] - 1
    full = 1 << n
    sums = np.full((n, full), -np.inf)
    for node in range(n):
        for rest in range(full):
            if (rest >> node) & 1:
                continue
            largest = -np.inf
            for mask in range(full):
                if mask & ~rest == 0:
                    largest = max(largest, table[node, mask])
            total = 0.0
            for mask in range(full):
                if mask & ~rest == 0 and table[node, mask] - largest > -40.0:
                    total += exp(table[node, mask] - largest)
            sums[node, rest] = largest + log(total)
    ways = np.full(full, -np.inf)
    ways[0] = 0.0
    for subset in range(1, full):
        largest = -np.inf
        for node in range(n):
            if (subset >> node) & 1:
                rest = subset & ~(1 << node)
                largest = max(largest, ways[rest] + sums[node, rest])
        total = 0.0
        for node in range(n):
            if (subset >> node) & 1:
                rest = subset & ~(1 << node)
                value = ways[rest] + sums[node, rest] - largest
                if value > -40.0:
                    total += exp(value)
        ways[subset] = largest + log(total)
    graphs = np.zeros((chances.shape[0], n + 1), np.int64)
    for g in range(chances.shape[0]):
        subset = full - 1
        at = 0
        while subset:
            left = chances[g, at]
            chosen = -1
            for node in range(n):
                if (subset >> node) & 1:
                    rest = subset & ~(1 << node)
                    value = ways[rest] + sums[node, rest] - ways[subset]
                    share = exp(value) if value > -40.0 else 0.0
                    if share > 0.0:
                        chosen = node
                        left -= share
                        if left < 0.0:
                            break
            subset &= ~(1 << chosen)
            left = chances[g, at + 1]
            for mask in range(full):
                if mask & ~subset == 0:
                    value = table[chosen, mask] - sums[chosen, subset]
                    share = exp(value) if value > -40.0 else 0.0
                    if share > 0.0:
                        graphs[g, chosen] = mask
                        left -= share
                        if left < 0.0:
                            break
            at += 2
        largest = -np.inf
        for mask in range(1, full):
            largest = max(largest, table[n, mask])
        total = 0.0
        for mask in range(1, full):
            if table[n, mask] - largest > -40.0:
                total += exp(table[n, mask] - largest)
        left = chances[g, at] * total
        for mask in range(1, full):
            if table[n, mask] - largest > -40.0:
                graphs[g, n] = mask
                left -= exp(table[n, mask] - largest)
                if left < 0.0:
                    break
    return graphs


@lru_cache(maxsize=8)
def _chances(nodes: int) -> Array:
    stream = rng.stream(0, "causalab", "attainable", "graphs", nodes)
    return np.array([[stream.uniform() for _ in range(2 * nodes - 1)] for _ in range(SAMPLE)])


@kernel
def _weights(masks: NDArray[np.int64], counts: NDArray[np.int64], table: Array, by_number: Array) -> Array:
    """Return the logarithms of the weights of drawn graphs before the evidence, see `graphs_of`."""
    graphs, width = masks.shape
    full = 1 << (width - 1)
    result = np.zeros(graphs)
    ways = np.zeros(full)
    for g in range(graphs):
        # The number of orders of the properties that put causes before effects.
        ways[:] = 0.0
        ways[0] = 1.0
        for subset in range(1, full):
            for node in range(width - 1):
                rest = subset & ~(1 << node)
                if (subset >> node) & 1 and masks[g, node] & ~rest == 0:
                    ways[subset] += ways[rest]
        edges = 0
        result[g] = log(float(counts[g])) - log(ways[full - 1])
        for at in range(width):
            result[g] -= table[at, masks[g, at]]
            for cause in range(width - 1):
                edges += (masks[g, at] >> cause) & 1
        result[g] += max(by_number[edges], UNLIKELY)
    return result


def graphs_of(nodes: int, table: Array) -> tuple[Masks, Array]:
    """Return the graphs that are considered, with the logarithms of their weights before the evidence.

    Of all graphs these are the prior probabilities. A drawn graph has the weight which, times the evidence in
    `table`, gives its prior probability times how often it was drawn, divided by the number of its orders.
    """
    if nodes <= EXACT:
        return enumerated(nodes)
    masks, counts = np.unique(_drawn(table, _chances(nodes)), axis=0, return_counts=True)
    return masks, _weights(masks, counts, table, by_edges(nodes))
