"""Counts of structures: against enumeration, and the documented sequences."""

from __future__ import annotations

import itertools

import pytest
from tests.suites.causalab.examples import TARGET, first

from assay.numbers.rng import stream
from assay.suites.causalab.metrics import imec
from assay.suites.causalab.metrics.least_squares import Basis, solve
from assay.suites.causalab.model.generator import model
from assay.suites.causalab.model.scm import is_acyclic
from assay.suites.causalab.simulation import golden


def graphs(names):
    """Every acyclic graph, as a set of edges."""
    pairs = list(itertools.combinations(names, 2))
    for choice in itertools.product((None, 0, 1), repeat=len(pairs)):
        edges = [p if c == 0 else p[::-1] for p, c in zip(pairs, choice, strict=True) if c is not None]
        if is_acyclic(names, edges):
            yield frozenset(edges)


@pytest.mark.parametrize(("n", "every", "sink"), [(3, 25, 12), (4, 543, 200), (5, 29_281, 8_688)])
def test_without_evidence_all_acyclic_graphs_are_left(n, every, sink):
    assert imec.count_acyclic([[0]] * n) == every
    assert imec.count_acyclic([[0]] * n, never=1) == sink


def parents(edges, name):
    return {a for a, b in edges if b == name}


@pytest.mark.parametrize("index", range(6))
def test_the_count_is_that_of_enumeration(index):
    graph = model("linear", 4, index, 2)
    items = golden.chain(graph, stream(index))
    for length in (2, 3, 5):
        evidence = golden.evidence(items[:length])
        families = {
            name: [
                {n for at, n in enumerate(graph.names) if mask >> at & 1}
                for mask in imec.consistent_parents(graph.names, name, evidence)
            ]
            for name in graph.names
        }
        by_hand = 0
        for edges in graphs(graph.names):
            if any(a == TARGET for a, _ in edges):
                continue
            by_hand += all(any(s <= parents(edges, n) for s in families[n]) for n in graph.names)
        assert imec.imec_data(graph.names, evidence) == by_hand


def test_complete_evidence_leaves_the_graphs_that_contain_the_true_one():
    for size in (3, 4):
        for index in range(10):
            graph = model("linear", size, index, 3)
            items = golden.chain(graph, stream(index))
            true = set(graph.edges)
            above = sum(
                true <= edges and not any(a == TARGET for a, _ in edges) for edges in graphs(graph.names)
            )
            assert imec.imec_data(graph.names, golden.evidence(items)) == above


def test_the_documented_sequence():
    """The released trace itself is not shipped: any chain on this model that uses each property ends so."""
    graph = first()
    items = golden.chain(graph, stream(0))
    counts = [imec.imec_data(graph.names, golden.evidence(items[:n])) for n in range(2, len(items) + 1)]
    assert counts[0] == 175
    assert counts[-1] == 16
    assert counts == sorted(counts, reverse=True)


def same_class(result, targets, sink):
    """The size of the class by definition."""
    skeleton = {frozenset(edge) for edge in result.edges}

    def colliders(edges):
        return {
            (frozenset((a, c)), b)
            for (a, b), (c, d) in itertools.combinations(sorted(edges), 2)
            if b == d and frozenset((a, c)) not in skeleton
        }

    true = set(result.edges)
    known = set(targets) | ({TARGET} if sink else set())
    return sum(
        {frozenset(edge) for edge in edges} == skeleton
        and colliders(edges) == colliders(true)
        and all(e in true for e in edges if known & set(e))
        for edges in graphs(result.names)
    )


@pytest.mark.parametrize("size", [3, 4])
def test_the_class_of_targets_is_that_of_enumeration(size):
    for index in range(12):
        graph = model("linear", size, index, 4)
        for j in range(size):
            for sink in (False, True):
                targets = graph.properties[:j]
                size_ = imec.imec_targets(graph.names, graph.edges, targets, sink)
                assert size_.exact
                assert size_.count == same_class(graph, targets, sink)


def test_all_properties_leave_one():
    for size in (5, 6, 7):
        graph = model("linear", size, 0, 4)
        assert imec.imec_targets(graph.names, graph.edges, graph.properties).count == 1


def test_an_estimate_covers_the_exact_count():
    covered = tried = 0
    for index in range(12):
        graph = model("linear", 7, index, 8)
        exact = imec.imec_targets(graph.names, graph.edges, ())
        if exact.count < 4:
            continue
        guess = imec.imec_targets(graph.names, graph.edges, (), exact_leaves=1, probes=400)
        assert not guess.exact
        tried += 1
        covered += guess.low <= exact.count <= guess.high
        assert guess == imec.imec_targets(graph.names, graph.edges, (), exact_leaves=1, probes=400)
    assert tried >= 5
    assert covered >= tried - 1


def test_fifty_variables():
    graph = model("linear", 50, 3, 11)
    assert imec.imec_targets(graph.names, graph.edges, ()).count >= 1
    with pytest.raises(ValueError, match="up to 10"):
        imec.imec_data(graph.names, imec.Evidence([], [], []))


def test_least_squares():
    columns = [[1.0, 1, 1, 1], [1.0, 2, 3, 4]]
    assert solve(columns, [3.0, 5, 7, 9]) == pytest.approx([1, 2])
    assert solve([[1.0, 1], [1.0, 1]], [2.0, 2]) == pytest.approx([1, 1])
    assert solve([[1.0, 2.0], [2.0, 4.0], [0.0, 0.0]], [5.0, 10.0]) == pytest.approx([1, 2, 0])
    assert Basis([3.0, 5, 7, 10], True).with_column(columns[1]).worst == pytest.approx(0.4)
    assert solve([], [1.0]) == []
