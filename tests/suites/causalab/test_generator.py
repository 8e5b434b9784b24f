"""The generator: a pure function of its arguments, and distributed as the released files are."""

from __future__ import annotations

import math

import pytest
from tests.suites.causalab.examples import TARGET

from assay.errors import UnknownName
from assay.suites.causalab.model.files import model_line
from assay.suites.causalab.model.generator import HIDDEN, complete, model, shapes
from assay.suites.causalab.model.topology import statistics
from assay.suites.causalab.simulation.acceptance import faults

TABLE_1 = {  # edges, forks, colliders of the released files, and the counts' standard deviations over graphs
    3: (2.56, 0.68, 0.72),
    4: (4.54, 2.18, 2.22),
    5: (7.26, 5.54, 5.26),
    6: (8.82, 6.72, 6.22),
    7: (10.26, 7.84, 7.00),
}


def test_a_model_depends_on_its_arguments_alone():
    late = model_line(model("linear", 5, 30, 77))
    assert model_line(model("linear", 5, 30, 77)) == late
    assert model_line(model("linear", 5, 29, 77)) != late
    assert model_line(model("linear", 5, 30, 78)) != late
    assert late.startswith('{"graph_id": "5nodes_30", "description": ')


@pytest.mark.parametrize("size", [3, 4, 5, 6, 7])
def test_the_rules_of_the_released_files(size):
    models = [model("linear", size, n, 5) for n in range(50)]
    assert len({frozenset(m.edges) for m in models}) == 50
    for graph in models:
        assert graph.names[0] == TARGET
        assert graph.edges[0][1] == TARGET
        assert not graph.children[TARGET]
        assert size - 1 <= len(graph.edges) <= min(size * (size - 1) // 2, 2 * size)
        assert graph.budget == 4 * (size - 1)
        coefficients = [v for k, v in graph.params.items() if k.startswith("coeff_")]
        assert set(coefficients) <= {1, 2, 3}
        assert len(coefficients) == len(graph.edges)
        for name in graph.names:
            key = "base_freq" if name == TARGET else f"base_{name}"
            base = graph.params[key]
            assert base == 20.0 if not graph.parents[name] else 15 <= base <= 25
        assert graph.listing[-1] == TARGET or not set(graph.listing) - set(graph.names)


@pytest.mark.parametrize("size", [3, 4, 5, 6, 7])
def test_the_means_are_those_of_the_released_files(size):
    """A released mean is one of 50 graphs: within 3.3 of its standard errors of ours, over 400 graphs."""
    results = [model("linear", size, n, 5) for n in range(400 if size > 3 else 120)]
    rows = [statistics([m]) for m in results]
    for released, column in zip(TABLE_1[size], ("edge_mean", "fork_mean", "collider_mean"), strict=True):
        values = [getattr(row, column) for row in rows]
        mean = math.fsum(values) / len(values)
        variance = math.fsum((v - mean) ** 2 for v in values) / len(values)
        assert abs(mean - released) < 3.3 * math.sqrt(variance * (1 / 50 + 1 / len(values)))


def test_where_the_target_may_cause():
    results = [model("freqparent", 4, n, 5) for n in range(50)]
    causing = sum(bool(m.children[TARGET]) for m in results)
    assert 17 <= causing <= 37  # the released file: 27
    assert all(m.parents[TARGET] and m.raw["frequency_can_be_parent"] for m in results)


def test_quadratic_families_have_the_linear_topologies():
    for index in range(10):
        linear, soft, hard = (model(family, 4, index, 2) for family in ("linear", "quad", "quad_hard"))
        assert linear.edges == soft.edges == hard.edges
        assert soft.params["base_freq"] == linear.params["base_freq"]
        axes = hard.raw["quadratic_metadata"]["edge_axis_by_name"]
        assert all(35 <= axis <= 65 for axis in axes.values())
        for name in hard.names:
            for term in hard.terms(name):
                assert term.power == 1 or hard.params[term.parameter] in (0.008, 0.012, 0.016)


def test_hidden_variants_share_the_model_and_are_nested():
    plain = model("linear", 4, 7, 2)
    affected = {}
    for variant in HIDDEN:
        graph = model("linear", 4, 7, 2, variant)
        assert (graph.edges, graph.params, graph.budget) == (plain.edges, plain.params, plain.budget)
        affected[variant] = graph.disturbance.affected
    row, two, three = (affected[f"hidden_n{n}"] for n in (1, 2, 3))
    assert (two[:1], three[:2], set(three)) == (row, two, set(plain.properties))
    assert row[0] in plain.parents[TARGET]
    assert affected["hidden_freqnode_n3"] == (TARGET, *two)
    assert affected["hidden_vrange_pm50"] == row
    assert model("linear", 4, 7, 2, "hidden_vrange_pm0p5").disturbance.values == (-0.5, 0, 0.5)


def test_fifty_variables_and_partial_control():
    from assay.numbers import rng

    big = model("linear", 50, 1, 9)
    assert len(big.names) == 50
    assert len(big.evaluate(dict.fromkeys(big.controllable, 10))) == 50
    shape = next(shapes(6, 4))
    some = complete(shape, "linear", 0, rng.stream(4, "x"), controllable=shape.names[1:4])
    assert some.controllable == shape.names[1:4]
    state = some.evaluate(dict.fromkeys(some.controllable, 10))
    for name in shape.names[4:]:
        assert state[name] >= some.params[f"base_{name}"]


def test_faults_are_found():
    results = [faults(model("linear", 7, n, 11)) for n in range(30)]
    assert ["beyond the reactor"] in results
    assert [] in results
    assert {fault for row in results for fault in row} == {"beyond the reactor"}


@pytest.mark.parametrize(("family", "variant"), [("cubic", ""), ("linear", "hidden_n9")])
def test_unknown_names(family, variant):
    with pytest.raises(UnknownName):
        model(family, 4, 0, 0, variant)
    with pytest.raises(ValueError, match="3 to 50"):
        model("linear", 2, 0, 0)
