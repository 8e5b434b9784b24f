"""Our PC, GES and DirectLiNGAM against causal-learn's, where that is installed (`pip install causal-learn`).

It is no extra of the project: with all it brings along it is half a gigabyte, and its numbers depend on the
processor. What differs is known: PC orders contradicting colliders otherwise, GES is greedy where ours looks
at every class, and DirectLiNGAM prunes edges with a lasso where ours takes least squares.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from assay.numbers.rng import stream
from assay.suites.causalab.model.generator import one_shape
from assay.suites.causalab.solvers import observational

pytest.importorskip("causallearn", reason="causal-learn is not installed")
pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("ignore")]

ROWS = 500
GRAPHS = [(nodes, seed) for nodes in (3, 4, 5, 6) for seed in range(4)]


@cache
def drawn(nodes, seed, normal):
    """The names of a random graph's variables, and a sample of a linear model on it."""
    shape = one_shape(stream(seed, "causal-learn", nodes), nodes)
    chance = stream(seed, "causal-learn", nodes, "rows")
    weights = {e: (0.6 + 0.8 * chance.uniform()) * chance.choice((-1, 1)) for e in shape.edges}
    order, left = [], list(shape.names)
    while left:
        ready = next(n for n in left if all(a in order for a, b in shape.edges if b == n))
        order.append(ready)
        left.remove(ready)

    def noise():
        return sum(chance.uniform() for _ in range(12)) - 6 if normal else chance.uniform() * 4 - 2

    rows = []
    for _ in range(ROWS):
        row = {}
        for name in order:
            row[name] = noise() + math.fsum(w * row[a] for (a, b), w in weights.items() if b == name)
        rows.append(row)
    return list(shape.names), rows


def matrix(names, rows):
    return np.array([[row[name] for name in names] for row in rows])


def directed(graph, names):
    """The edges that a graph of causal-learn has with an arrow at one end only."""
    pairs = [(i, j) for i in range(len(names)) for j in range(len(names))]
    return sorted((names[i], names[j]) for i, j in pairs if graph[i, j] == -1 and graph[j, i] == 1)


def test_pc_finds_the_same_neighbours_and_without_contradictions_the_same_directions():
    from causallearn.search.ConstraintBased.PC import pc

    for nodes, seed in GRAPHS:
        names, rows = drawn(nodes, seed, True)
        theirs = pc(matrix(names, rows), 0.05, "fisherz", show_progress=False).G.graph
        joined = {(a, b) for i, a in enumerate(names) for j, b in enumerate(names) if theirs[i, j] != 0}
        near, _ = observational.skeleton(names, rows)
        assert {(a, b) for a in names for b in near[a]} == joined, (nodes, seed)
        if nodes <= 4:  # beyond, colliders may contradict each other, and the order of tests decides
            assert observational.pc(names, rows) == directed(theirs, names), (nodes, seed)


def test_ges_never_finds_a_graph_with_a_better_score():
    from causallearn.search.ScoreBased.GES import ges
    from causallearn.utils.PDAG2DAG import pdag2dag

    for nodes, seed in GRAPHS:
        names, rows = drawn(nodes, seed, True)
        result = ges(matrix(names, rows), "local_score_BIC", parameters={"lambda_value": 1.0})["G"]
        theirs = directed(pdag2dag(result).graph, names)
        causes = {name: [a for a, b in theirs if b == name] for name in names}
        ours = observational.best_graph(names, rows)
        if max(map(len, causes.values())) <= observational.LARGEST_SET:
            assert score(names, rows, ours) <= score(names, rows, theirs) + 1e-6, (nodes, seed)


def score(names, rows, edges):
    return math.fsum(observational.bic(rows, name, [a for a, b in edges if b == name]) for name in names)


def test_lingam_finds_the_same_order():
    from causallearn.search.FCMBased.lingam import DirectLiNGAM

    for nodes, seed in GRAPHS:
        names, rows = drawn(nodes, seed, False)
        theirs = DirectLiNGAM()
        theirs.fit(matrix(names, rows))
        order = [names[n] for n in theirs.causal_order_]
        assert observational.causal_order(names, rows) == order, (nodes, seed)
