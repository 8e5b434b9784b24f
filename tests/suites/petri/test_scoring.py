"""Points: the reference's exact scores, and every rule of the table."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
from tests.suites.petri.playing import INDICES, episode, metrics, scripted, task

from assay.suites.petri.boundary import scoring
from assay.suites.petri.evidence import PAIRED_WAYS, UNITS, WAYS, Evidence, Finding
from assay.suites.petri.questions.answers import REPLICATES, truth

REFERENCE = {"L1": 92.5, "L2": 92.5, "L3": 87.5}


@pytest.mark.parametrize("index", INDICES)
def test_the_reference_scores_exactly(index):
    result = metrics(task(index), episode(index, "ofat"))
    assert result["score"] == REFERENCE[task(index).strata["tier"]]
    assert result["solved"] == 1
    assert result["calls"] == {"L1": 3, "L2": 4, "L3": 5}[task(index).strata["tier"]]


@pytest.mark.parametrize("index", INDICES)
def test_stopping_early_is_never_worse(index):
    result = metrics(task(index), episode(index, "adaptive"))
    assert result["solved"] == 1
    assert result["score"] >= REFERENCE[task(index).strata["tier"]]


def test_the_reference_scores_the_same_in_any_order_of_candidates():
    results = [metrics(task(3), episode(3, "ofat", attempt)) for attempt in range(6)]
    assert {m["score"] for m in results} == {92.5}
    orders = {tuple(str(e.arguments) for e in episode(3, "ofat", attempt).events) for attempt in range(6)}
    assert len(orders) > 1


@pytest.mark.full
def test_blind_values_do_much_worse():
    """The privileged-value ablation: the same procedure, test values drawn blindly."""
    means = [
        math.fsum(metrics(task(i), episode(i, "ofat-rand", salt))["score"] for i in INDICES) / 6
        for salt in range(20)
    ]
    assert 30 < math.fsum(means) / 20 < 55
    assert len(set(means)) > 10


def test_blind_values_are_drawn_anew_in_each_attempt():
    logs = {episode(0, "ofat-rand", salt).log_sha256 for salt in range(3)}
    assert len(logs) == 3


# ------------------------------------------------------------ rule by rule

CONTROL = {}
METRIC = "polarization"


def test_a_single_significant_experiment():
    """One significant experiment at L1: all of correctness and rigor, seven eighths of efficiency."""
    result, _ = scripted(task(0), single(0), answer(0))
    assert metrics(task(0), result) == {
        "score": 97.5,
        "solved": 1,
        "correctness": 50,
        "rigor": 30,
        "efficiency": 17.5,
        "calls": 1,
        "claim_validity": None,
    }


def single(index, **more):
    """The experiment that isolates the first driver of a task, with further changes."""
    driver = task(index).hidden["drivers"][0]
    return (
        "experiment",
        {"config_a": CONTROL, "config_b": {driver["parameter"]: driver["test"], **more}, "metric": METRIC},
    )


def answer(index, **changes):
    """The right answer with changes."""
    right = dict(truth(task(index).hidden))
    named = right.pop("parameters")
    right |= {"parameters": named} if len(named) == 2 else {"parameter": named[0]}
    return "submit", right | changes


def decoy(index, n=0):
    return task(index).hidden["decoys"][n]["parameter"]


@pytest.mark.parametrize(
    ("index", "changes", "points", "solved"),
    [
        (0, {}, 50, 1),
        (0, {"direction": "up"}, 30, 0),
        (0, {"parameter": decoy(0)}, 0, 0),
        (3, {}, 60, 1),
        (3, {"direction": "up"}, 45, 0),
        (3, {"magnitude": "small"}, 50, 0),
        (3, {"magnitude": "large", "direction": "up"}, 35, 0),
        (2, {"magnitude": "large"}, 40, 0),
        (3, {"parameter": decoy(3)}, 0, 0),
        (4, {}, 55, 1),
        (4, {"interaction": "negative"}, 30, 0),
        (4, {"parameters": ["cohesion", decoy(4)]}, 37, 0),
        (4, {"parameters": [decoy(4), decoy(4, 1)]}, 25, 0),
        (4, {"parameters": [decoy(4), decoy(4, 1)], "interaction": "negative"}, 0, 0),
    ],
)
def test_correctness(index, changes, points, solved):
    result, _ = scripted(task(index), answer(index, **changes))
    assert metrics(task(index), result) == {
        "score": points,
        "solved": solved,
        "correctness": points,
        "rigor": 0,
        "efficiency": 0,  # without an experiment
        "calls": 0,
        "claim_validity": None,
    }


def test_rigor_needs_a_significant_isolating_experiment_on_the_target():
    tool, arguments = single(0)
    name = task(0).hidden["drivers"][0]["parameter"]
    weak = {**arguments, "config_b": {name: 0.97}}
    elsewhere = {**arguments, "config_a": {"noise": 0.33}}
    other = {**arguments, "metric": "nn_dist"}
    swapped = {**arguments, "config_a": arguments["config_b"], "config_b": {}}
    spelled_out = {**arguments, "config_b": {**arguments["config_b"], "noise": 0.45, "radius": 1}}

    def rigor(*experiments):
        result, _ = scripted(task(0), *((tool, a) for a in experiments), answer(0))
        return metrics(task(0), result)["rigor"]

    assert rigor(weak) == rigor(elsewhere) == rigor(other) == 0
    assert rigor(single(0, noise=0.44)[1]) == 0
    assert rigor(arguments) == rigor(swapped) == rigor(spelled_out) == rigor(weak, arguments) == 30


def test_rigor_at_the_third_tier_needs_all_cells():
    tests = {d["parameter"]: d["test"] for d in task(4).hidden["drivers"]}
    a, b = ({name: value} for name, value in tests.items())

    def rigor(*configs):
        calls = [("experiment", {"config_a": {}, "config_b": c, "metric": METRIC}) for c in configs]
        result, _ = scripted(task(4), *calls, answer(4))
        return metrics(task(4), result)["rigor"]

    assert rigor(a, b, tests) == 25
    assert rigor(a, b) == rigor(a, tests) == rigor(a, b, {**tests, "speed": 0.2}) == 0


def test_probes_cost_but_earn_nothing_alone():
    probe = ("probe", {"guess": {}, "metric": METRIC})
    result, _ = scripted(task(0), probe, probe, answer(0))
    assert metrics(task(0), result)["score"] == 50
    result, _ = scripted(task(0), probe, probe, single(0), answer(0))
    assert metrics(task(0), result)["score"] == 50 + 30 + 20 * 5 / 8


def test_a_log_that_spent_too_much_is_worth_six_tenths():
    """Possible only outside of the harness: a log with the events of two episodes."""
    result = episode(0, "spender")
    assert metrics(task(0), result)["score"] == 80
    probes = [e for e in result.events if e.tool == "probe" and e.ok]
    again = replace(result, events=(*result.events, replace(probes[0], step=len(result.events))))
    assert metrics(task(0), again)["calls"] == 9
    assert metrics(task(0), again)["score"] == pytest.approx(48)


def test_claims():
    name = task(0).hidden["drivers"][0]["parameter"]
    other = task(0).hidden["decoys"][0]
    inert = {"config_a": {}, "config_b": {other["parameter"]: other["test"]}, "metric": METRIC}
    claims = [
        ("claim", {"parameter": name, "effect": "down"}),
        ("claim", {"parameter": name, "effect": "up"}),
        ("claim", {"parameter": name, "effect": "none"}),
        ("claim", {"parameter": decoy(0, 1), "effect": "none"}),  # never looked at
    ]
    result, _ = scripted(task(0), single(0), *claims, answer(0))
    assert metrics(task(0), result)["claim_validity"] == 1 / 4
    claim = ("claim", {"parameter": other["parameter"], "effect": "none"})
    result, _ = scripted(task(0), ("experiment", inert), claim)
    assert metrics(task(0), result)["claim_validity"] == 1


def test_nothing_done_is_worth_nothing():
    result, _ = scripted(task(0))
    assert metrics(task(0), result)["score"] == 0


def test_exact_p_values_are_read_back_as_whole_numbers():
    for numerator in (2, 1346, 676_038, 1_352_077, WAYS - 1, WAYS):
        assert round(numerator / WAYS * WAYS) == numerator


def test_a_finding_looks_from_the_control():
    """Whichever arm the control is: where the other one lies, its mean, and the exact p of both."""
    tool, arguments = single(0)
    swapped = {**arguments, "config_a": arguments["config_b"], "config_b": arguments["config_a"]}
    result, (plain, turned) = scripted(task(0), (tool, arguments), (tool, swapped))
    (view,), (back,) = plain.parts, turned.parts
    assert view["mean_a"] == back["mean_b"] > view["mean_b"] == back["mean_a"]
    first, second = Evidence(task(0), result).experiments
    assert replace(second, step=first.step) == first
    assert (first.mean_control, first.mean_changed) == (view["mean_a"], view["mean_b"])
    assert first.effect == "down"
    assert Fraction(first.numerator, UNITS) == Fraction(round(view["p"] * WAYS), WAYS)


@pytest.mark.parametrize(
    ("significant", "delta", "effect"),
    [(True, 1.0, "up"), (True, 0.1, "up"), (True, 0.0, "none"), (True, -1.0, "down"), (False, 1.0, "none")],
)
def test_an_effect_is_significant_and_has_a_direction(significant, delta, effect):
    assert Finding(0, frozenset(), significant, delta, 1, 0.0, 0.0).effect == effect


def test_an_arm_is_twelve_runs():
    """Of 24 values in two arms of 12, C(24, 12) ways to split them; 2 to the power of 12 signs of pairs."""
    assert len(task(0).hidden["seeds"]) == REPLICATES == 12
    assert (WAYS, PAIRED_WAYS) == (2_704_156, 4096)
    episode, (result,) = scripted(task(0), single(0))
    assert result.parts[0]["u"] == 5
    # As many splits have a U of n as n has partitions: 1, 1, 2, 3, 5, 7 up to 5, and so at the other end.
    (finding,) = Evidence(task(0), episode).isolating
    assert Fraction(finding.numerator, UNITS) == Fraction(2 * (1 + 1 + 2 + 3 + 5 + 7), 2_704_156)


def measured(*values: tuple[float, float]) -> Any:
    """An episode that measured these means, of four runs each with a standard deviation of 1."""
    calls = [
        SimpleNamespace(arguments={"value": value}, parts=({"mean": mean, "sd": 1.0, "runs": 4},))
        for value, mean in values
    ]
    return SimpleNamespace(calls=lambda tool: calls)


def test_an_estimate_is_supported_by_clear_means_on_both_sides() -> None:
    rising = {"level": 5.0, "falls": False, "span": (0.0, 10.0)}
    falling = {**rising, "falls": True}
    clear = measured((3.0, 2.0), (7.0, 8.0))
    assert scoring.supported(rising, clear, 5.0)
    assert not scoring.supported(falling, clear, 5.0)
    assert not scoring.supported(rising, measured(), 5.0)
    assert not scoring.supported(rising, measured((3.0, 2.0)), 5.0), "nothing beyond the estimate"
    assert not scoring.supported(rising, measured((3.0, 4.5), (7.0, 8.0)), 5.0), "half a unit is not clear"
    assert not scoring.supported(rising, measured((1.0, 2.0), (7.0, 8.0)), 5.0), "too far away to count"
    near_and_far = measured((4.9, 5.4), (2.5, 2.0), (7.0, 8.0))
    assert scoring.supported(rising, near_and_far, 5.0), "what lies next to the estimate counts little"
