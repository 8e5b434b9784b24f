"""The stated equation held against evidence, form and roots, by hand."""

from __future__ import annotations

import math

import pytest
from tests.suites.causalab.examples import FIRST_RAW, TARGET, first

from assay.suites.causalab.dsl import Hypothesis
from assay.suites.causalab.metrics import recovery
from assay.suites.causalab.metrics.equation import (
    Consistency,
    beyond_family,
    check_formula,
    consistency,
    value_of,
)
from assay.suites.causalab.model.files import model_of
from assay.suites.causalab.model.generator import model


def stated(equation, **coefficients):
    return Hypothesis((), equation, coefficients)


@pytest.mark.parametrize(
    ("equation", "coefficients", "value"),
    [
        ("f = base + c_ph * ph", {"base": 20, "c_ph": 2}, 26.0),
        ("base + c_ph * ph", {"base": 20, "c_ph": 2}, 26.0),
        ("f = base + c_ph * ph", {"base": 20, "c_ph": None}, None),
        ("f = base + c_ph * ph", {"base": 20}, None),
        ("f = base + c_ph * ph", {"base": 20, "c_ph": True}, None),
        (f"f = {TARGET}", {}, None),  # what is asked for is not known
        ("f = ", {}, None),
        ("", {"base": 1}, None),
        ("f = ph +", {}, None),
        ("f = ph ^ 999 ^ 9", {}, None),
    ],
)
def test_the_value_of_an_equation(equation, coefficients, value):
    assert value_of(stated(equation, **coefficients), {"ph": 3.0, TARGET: 26.0}) == value


def test_residuals_over_evidence():
    evidence = [{"ph": x, TARGET: y} for x, y in ((0.0, 20.0), (1.0, 21.0), (2.0, 22.5), (3.0, 30.0))]
    result = consistency(stated("base + c * ph", base=20, c=2), evidence)
    assert result.residuals == (0.0, 1.0, 1.5, 4.0)
    assert (result.inconsistent_share, result.mean_abs_residual, result.consistent) == (0.5, 6.5 / 4, False)
    assert consistency(stated("base + c * ph", base=20, c=2), evidence[:2]).consistent
    unknown = Consistency((0.5, None, 1.0))
    assert (unknown.inconsistent_share, unknown.mean_abs_residual) == (1 / 3, 0.75)
    assert not unknown.consistent
    nothing = Consistency(())
    assert (nothing.inconsistent_share, nothing.mean_abs_residual, nothing.consistent) == (None, None, True)


@pytest.mark.parametrize(
    ("formula", "parsed", "roots_only", "value", "error", "hit"),
    [
        ("f = 2 * a + 1", True, True, 7.0, 3.0, True),
        ("f = 2 * a - 1", True, True, 5.0, 5.0, True),
        ("f = 2 * a - 2", True, True, 4.0, 6.0, False),
        ("f = a + b", True, False, 7.0, 3.0, True),
        ("f = a + d", True, False, None, None, False),
        ("f = a +", False, False, None, None, False),
        ("f = a ^ 2", False, False, None, None, False),
        ("f = a ** 2", True, True, 9.0, 1.0, True),
    ],
)
def test_a_formula_in_the_roots(formula, parsed, roots_only, value, error, hit):
    result = check_formula(formula, ["a"], {"a": 3.0, "b": 4.0}, 10.0)
    assert (result.parsed, result.roots_only, result.value, result.error, result.hit) == (
        parsed,
        roots_only,
        value,
        error,
        hit,
    )
    assert check_formula("f = a", ["a"], {"a": 3.0}, math.inf).error is None


@pytest.mark.parametrize(
    ("equation", "linear", "quadratic"),
    [
        ("f = base + c_a * a", False, False),
        ("f = base - c_a * a - b", False, False),
        ("f = a - b * b", True, False),
        ("f = b * b - a", True, False),
        ("f = -(a * a)", True, False),
        ("f = a ** 2 + b", True, False),
        ("f = a ** 3", True, True),
        ("f = a ** 0.5", True, True),
        ("f = base ** 0.5 * a ** 1.0", False, False),
        ("f = a * b * b", True, True),
        ("f = a / 2", False, False),
        ("f = a / base", False, False),
        ("f = 2 / a", True, True),
        ("f = 2 ** a", True, True),
        ("f = base ** c_a", False, False),
        ("f = base ** c_a * a", False, False),
        ("f = a ** base", True, True),
        ("f = a * a / 2", True, False),
        ("f = a +", True, True),
        ("f = ", False, False),
        ("", False, False),
    ],
)
def test_the_form_that_a_family_has(equation, linear, quadratic):
    results = [beyond_family(stated(equation), family) for family in ("linear", "quadratic")]
    assert results == [linear, quadratic]


FIRST = first()
"""Density and moisture act on the target, each with weight 1, and density on quantumSize."""


def test_one_hypothesis_on_the_way():
    edges = (("density", TARGET), ("quantumSize", TARGET), ("quantumSize", "density"))
    result = recovery.step_score(FIRST, Hypothesis(edges, "", {"c_density": 1}))
    assert result.correct == 1
    assert (result.edges.precision, result.edges.recall) == (1 / 3, 1 / 3)
    assert (result.into_target.precision, result.into_target.recall) == (1 / 2, 1 / 2)
    assert result.weight_accuracy == 0.5
    assert result.shd == 3, "one lacks, one is too much, one is turned"
    few = recovery.step_score(FIRST, Hypothesis(edges[:1], "", {}))
    assert (few.edges.precision, few.edges.recall) == (1.0, 1 / 3)
    assert few.edges.f1 == pytest.approx(0.5)
    assert (few.into_target.precision, few.into_target.recall) == (1.0, 1 / 2)


def test_empty_sets_on_the_way_count_as_nothing():
    """Unlike at the end, where two empty sets agree (`agreement`)."""
    edge = ("density", TARGET)
    assert recovery._hollow(set(), set()) == (0.0, 0.0, 0.0)
    assert recovery._hollow({edge}, set()) == (0.0, 0.0, 0.0)
    assert recovery._hollow(set(), {edge}) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("coefficients", "share"),
    [
        ({"c_density": 1, "c_moisture": 1}, 1.0),
        ({"c_dens": 1, "c_mois": 1}, 1.0),
        ({"c_density": 1.009, "c_moisture": 1.011}, 0.5),
        ({"c_density": "1", "c_dens": 1}, 0.5),
        ({"c_density": 5, "c_dens": 1}, 0.0),
        ({}, 0.0),
    ],
)
def test_weights_along_the_way(coefficients, share):
    assert recovery.weight_accuracy(FIRST, coefficients) == share


def test_a_weight_along_the_way_is_met_within_less_than_a_hundredth():
    """Of a weight of 0 the distance has no error of rounding."""
    params = {**FIRST_RAW["params"], "coeff_density_freq": 0, "coeff_moisture_freq": 0}
    flat = model_of({**FIRST_RAW, "params": params}, "without effects")
    assert recovery.weight_accuracy(flat, {"c_density": 0.01, "c_moisture": 0.0099}) == 0.5


def test_weights_along_the_way_do_not_apply_to_hard_quadratic_models():
    """No parameter is called coeff_<cause>_freq there: there is no share of no weights."""
    hard = model("quad_hard", 4, 0, 5)
    right = {f"c_{term.parent}_{3 - term.power}": hard.params[term.parameter] for term in hard.terms(TARGET)}
    assert recovery.quadratic_weights(hard, right).f1 == 1
    for coefficients in (right, {"c_ph": 1}, {}):
        assert recovery.weight_accuracy(hard, coefficients) is None
        assert recovery.step_score(hard, Hypothesis((), "", coefficients)).weight_accuracy is None


def test_keys_that_count_as_predictions():
    """A key with a prefix counts, whatever it names; what is found without one counts as well."""
    right = {"c_density": 1, "c_moisture": 1}
    assert recovery.weights(FIRST, right).precision == 1
    assert recovery.weights(FIRST, right | {"coeff_x": 1}).precision == pytest.approx(2 / 3)
    assert recovery.weights(FIRST, right | {"c_x": 1, "x": 1}).precision == pytest.approx(2 / 3)
    assert recovery.weights(FIRST, {"density": 1, "moisture": 1}).precision == 1
