"""The metrics, on the two hypotheses whose scores are documented, and on sets that may be empty."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.suites.causalab.examples import SECOND_RAW, TARGET, second

from assay.suites.causalab.dsl import compat_hypothesis
from assay.suites.causalab.metrics import recovery
from assay.suites.causalab.metrics.report import report
from assay.suites.causalab.model.generator import model

NAMES = [TARGET, "ph", "moisture", "density"]


def test_the_first_documented_hypothesis():
    result = report(
        second(),
        compat_hypothesis(
            {
                "edges": [
                    {"from": "moisture", "to": "Frequency"},
                    {"from": "moisture", "to": "ph"},
                    {"from": "density", "to": "ph"},
                    ["ph", "resonance_freq"],
                ],
                "coefficients": {"base": 1, "c_moisture": "1", "c_ph": None, "c_density": 0},
            }
        ),
    )
    assert [result[key] for key in ("edge_precision", "edge_recall", "edge_f1")] == [0.75, 0.5, 0.6]
    assert [result[key] for key in ("shd", "missing", "extra", "reversed")] == [3, 2, 0, 1]
    assert result["freq_edge_f1"] == pytest.approx(0.8)
    assert result["freq_weight_f1"] == pytest.approx(1 / 3)
    assert result["root_f1"] == pytest.approx(2 / 3)


def test_the_second_documented_hypothesis():
    edges = [["ph", "moisture"], ["moisture", "ph"], ["density", "density"]]
    result = report(second(), compat_hypothesis({"edges": edges, "coefficients": {"C_PH": 2, "foo": 1}}))
    wanted = {
        "edge_precision": 1 / 3,
        "edge_recall": 1 / 6,
        "edge_f1": 2 / 9,
        "shd": 7,
        "missing": 5,
        "extra": 2,
        "reversed": 0,
        "freq_edge_f1": 0,
        "freq_weight_precision": 1,
        "freq_weight_recall": 1 / 3,
        "freq_weight_f1": 0.5,
        "root_f1": 0,
    }
    assert {key: result[key] for key in wanted} == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("coefficients", "weight"),
    [
        ({"c_ph": None, "C_PH": 2}, None),
        ({"c_ph": None, "ph": 2}, ("ph", 2)),
        ({"C_PH": 2, "coeff_ph_freq": 3}, ("C_PH", 2)),
        ({"C_PH": 2, "C_Ph": 3}, ("C_Ph", 3)),
        ({"c_ph": True}, None),
        ({"c_ph": " 2e0 "}, ("c_ph", 2.0)),
        ({"c_ph": "two", "coeff_ph_frequency": 4}, ("coeff_ph_frequency", 4)),
    ],
)
def test_where_a_weight_is_looked_for(coefficients, weight):
    assert recovery.predicted_weight(coefficients, "ph") == weight


def with_params(**params):
    """The second documented model with other numbers; the target is 2 ph + 2 density + moisture."""
    return second(params={**SECOND_RAW["params"], **params})


def test_of_several_spellings_of_a_true_weight_the_first_holds():
    nodes = SECOND_RAW["nodes"]
    formula = "base_freq + ph * coeff_ph_freq + density * coeff_density_freq + moisture * coeff_moisture_freq"
    turned = {**nodes, TARGET: {**nodes[TARGET], "computation": formula}}
    graph = second(nodes=turned, params={**SECOND_RAW["params"], "c_ph": 9, "ph": 8})
    assert graph.terms(TARGET) is None, "names alone say which number is whose"
    assert recovery.true_weights(graph) == {"moisture": 1, "ph": 2, "density": 2}


def test_a_weight_is_right_within_a_millionth():
    """Of a weight of 0 the distance has no error of rounding."""
    flat = with_params(coeff_ph_freq=0, coeff_density_freq=0)
    result = recovery.weights(flat, {"c_ph": 1e-6, "c_density": -1e-6, "c_moisture": 1.0000011})
    assert (result.precision, result.recall) == (2 / 3, 2 / 3)


def test_weights_are_right_within_one_per_cent():
    large = with_params(coeff_ph_freq=100, coeff_density_freq=100, coeff_moisture_freq=0)
    result = recovery.quadratic_weights(large, {"c_ph": 101, "c_density": 98.9, "c_moisture": 0})
    assert (result.precision, result.recall) == (2 / 3, 2 / 3)


def test_a_linear_model_has_no_second_term_of_a_parent():
    result = recovery.quadratic_weights(second(), {"c_ph": 2, "c_density_2": 2, "c_moisture_1": 1})
    assert (result.precision, result.recall) == (1 / 3, 1 / 3)


def test_temperature_and_squares_are_found_by_the_expression():
    for family in ("linear", "quad_hard"):
        for index in range(20):
            graph = model(family, 4, index, 5)
            weights = recovery.true_weights(graph)
            assert set(weights) == set(graph.parents[TARGET])
            reply = {f"c_{name}": value for name, value in weights.items()}
            assert recovery.weights(graph, reply).f1 == 1
            both = {}
            for term in graph.terms(TARGET):
                suffix = "" if family == "linear" else "_1" if term.power == 2 else "_2"
                both[f"c_{term.parent}{suffix}"] = graph.params[term.parameter] * 1.005
            assert recovery.quadratic_weights(graph, both).f1 == 1
            if family == "quad_hard":  # keys of both terms never match, and count as predictions
                assert recovery.weights(graph, both).f1 == 0


def test_empty_sets():
    nothing, something = recovery.agreement([], []), recovery.agreement([], [1])
    assert (nothing.precision, nothing.recall, nothing.f1) == (1, 1, 1)
    assert (something.precision, something.recall, something.f1) == (0, 0, 0)
    assert recovery.agreement([1], []).f1 == 0
    assert recovery.step_score(second(), compat_hypothesis({})).edges.f1 == 0


EDGES = st.sets(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)))


@given(EDGES, EDGES)
def test_the_distance_counts_the_least_number_of_edits(result, true):
    """Against its definition: correct edges aside, each wrong pair costs one, a turned edge only one."""
    wrong, lacking = result - true, true - result
    turned = sum((b, a) in wrong for a, b in lacking)
    parts = recovery.distance(result, true)
    assert parts.shd == len(wrong) + len(lacking) - turned
    assert min(parts.missing, parts.extra, parts.reversed) >= 0
    assert (parts.shd == 0) == (result == true)


def test_all_edges_turned_cost_one_each():
    for index in range(20):
        graph = model("linear", 6, index, 1)
        turned = [(b, a) for a, b in graph.edges]
        assert recovery.distance(turned, graph.edges).reversed == len(graph.edges)
        assert recovery.agreement(turned, graph.edges).f1 == 0
        assert recovery.distance([], graph.edges).shd == len(graph.edges)


def test_a_root_is_an_ancestor_without_parents():
    assert recovery.roots([("a", "b"), ("b", TARGET), ("c", TARGET), ("d", "e")]) == {"a", "c"}
    assert recovery.roots([("a", "b"), ("b", "a"), ("b", TARGET)]) == frozenset()
