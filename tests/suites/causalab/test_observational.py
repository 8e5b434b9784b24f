"""PC, greedy search and DirectLiNGAM on large samples, and on samples that are none."""

from __future__ import annotations

import pytest

from assay.numbers.rng import stream
from assay.suites.causalab.solvers import observational


def sample(rows, normal=False):
    """a -> c <- b, c -> d, with noise."""
    chance = stream(5, "sample", rows)

    def noise():
        if normal:
            return sum(chance.uniform() for _ in range(12)) - 6
        return chance.uniform() * 4 - 2

    results = []
    for _ in range(rows):
        a, b = noise(), noise()
        c = 1.5 * a - 2 * b + noise()
        results.append({"a": a, "b": b, "c": c, "d": 2 * c + noise()})
    return results


NAMES = ["a", "b", "c", "d"]
TRUE = [("a", "c"), ("b", "c"), ("c", "d")]


def test_each_finds_the_graph_of_a_large_sample():
    assert observational.pc(NAMES, sample(400, normal=True)) == TRUE
    assert observational.best_class(NAMES, sample(400, normal=True)) == TRUE
    assert observational.direct_lingam(NAMES, sample(400)) == TRUE


@pytest.mark.parametrize("rows", [0, 1, 2, 3, 5])
def test_tiny_samples_and_constant_columns_are_survived(rows):
    for method in (observational.pc, observational.best_class, observational.direct_lingam):
        method(NAMES, sample(rows))
        method(NAMES, [dict.fromkeys(NAMES, 1.0)] * rows)
