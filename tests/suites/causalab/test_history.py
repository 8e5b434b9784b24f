"""What is read out of a log: trajectories, flags, diagnostics; and the list of candidates."""

from __future__ import annotations

import json

import pytest
from tests.suites.causalab.examples import FIRST_RAW, TARGET, hidden
from tests.suites.causalab.playing import changed, raised, record, scores, scripted, solved, task

from assay.errors import TaskError
from assay.suites.causalab.model.generator import model, shapes
from assay.suites.causalab.simulation.conditions import Setup
from assay.suites.causalab.transcript import transcript_of

FIRST = changed(task("main-v0", 1), FIRST_RAW)

ONE = {
    "edges": [{"from": "density", "to": TARGET}],
    "freq_equation": "base + c_density * density",
    "coefficients": {"base": 25, "c_density": 1},
}
TRUE = {
    "edges": [
        {"from": "density", "to": TARGET},
        {"from": "moisture", "to": TARGET},
        {"from": "density", "to": "quantumSize"},
    ],
    "freq_equation": "y = base + c_density * density + c_moisture * moisture",
    "coefficients": {"base": 25, "c_density": 1, "c_moisture": 1},
}


def intervene(hypothesis, name, value, **more):
    return record(hypothesis, op="intervene", property=name, value=value, **more)


def test_a_hypothesis_counts_for_the_interventions_up_to_its_own_step():
    episode, _, _ = scripted(
        FIRST,
        [
            intervene(ONE, "density", 40),
            intervene(ONE, "heat", 1),
            intervene(TRUE, "moisture", 50),
            record(op="stop"),
        ],
    )
    transcript = transcript_of(Setup(FIRST), episode)
    along = transcript.trajectory()
    assert [(done.step, done.target, len(held.edges)) for done, held in along] == [
        (0, "density", 1),
        (2, "moisture", 0),  # the empty hypothesis of the last record is the last one at this index
    ]
    assert transcript.final.edges[2] == (
        "density",
        "quantumSize",
    )  # what says nothing does not count at the end


def test_commitment_is_judged_by_what_had_been_seen():
    good, _, _ = scripted(FIRST, [intervene(TRUE, "density", 40), record(TRUE, op="predict", value=162)])
    assert raised(FIRST, good) == set()
    metrics = scores(FIRST, good)
    assert (metrics["consistent"], metrics["inconsistent_share"], metrics["mean_abs_residual"]) == (1, 0, 0)
    assert (metrics["solved"], metrics["edge_f1"], metrics["score"], metrics["formula_hit"]) == (1, 1, 1, 1)
    bad, _, _ = scripted(FIRST, [intervene(ONE, "density", 40), record(ONE, op="predict", value=162)])
    assert raised(FIRST, bad) == {"inconsistent_commitment", "graph_wrong_answer_right"}
    metrics = scores(FIRST, bad)
    assert metrics["inconsistent_share"] == 1
    assert metrics["mean_abs_residual"] == pytest.approx((3 + 31 + 6 + 6) / 4)


@pytest.mark.parametrize(("base", "hit"), [(20, 1), (30, 1), (19.99, 0), (30.01, 0)])
def test_an_equation_hits_within_five(base, hit):
    """The true base is 25, so the value at the reactor is wrong by what the base is."""
    reply = {**TRUE, "coefficients": {**TRUE["coefficients"], "base": base}}
    assert scores(FIRST, scripted(FIRST, [record(reply, op="stop")])[0])["formula_hit"] == hit


def test_a_budget_is_used_up_at_most():
    """Beyond it only outside of the harness: here a log is judged under a smaller budget than it had."""
    episode, _, _ = scripted(FIRST, [intervene(ONE, "density", 40), intervene(ONE, "moisture", 4)])
    shares = [scores(changed(FIRST, budget=budget), episode)["budget_used"] for budget in (8, 2, 1, 0)]
    assert shares == [0.25, 1, 1, None]


def of_size(nodes):
    return model("linear", nodes, 0, 5).raw


@pytest.mark.parametrize(
    ("raw", "counted"),
    [
        (FIRST_RAW, True),
        ({**FIRST_RAW, "hidden_variable": hidden(["density"], [1.0])}, False),
        (model("quad_hard", 4, 0, 5).raw, False),
        (of_size(7), True),
        (of_size(8), False),
    ],
)
def test_graphs_left_are_counted_for_small_plain_models(raw, counted):
    of = changed(task("main-v0", 1), raw)
    assert (scores(of, scripted(of, [])[0])["imec_data"] is not None) == counted


@pytest.mark.parametrize(("chain", "left"), [([], 2), (["moisture"], 2), (["moisture", "density"], 1)])
def test_a_golden_trace_intervenes_as_well(chain, left):
    """Which of density and quantumSize is the cause, only a change of one of them tells."""
    props = {"density": 14, "moisture": 3, "quantumSize": 95}
    items = [{"props": props, "freq": 42}, {"props": props, "freq": 42}]
    items += [
        {"props": props, "freq": 42, "intervention": {"target_prop": name, "target_value": 1}}
        for name in chain
    ]
    of = changed(FIRST, {**FIRST_RAW, "bootstrap_past_data": items})
    assert scores(of, scripted(of, [])[0])["imec_targets"] == left


def test_history_curves_and_idleness():
    item = {"id": "1", "props": {"density": 14, "moisture": 3, "quantumSize": 95}, "freq": 42.0}
    kept = json.loads(record(ONE, op="intervene", property="density", value=40))
    first = json.dumps({**kept, "past_data": [item]})
    again = json.dumps({**kept, "past_data": [item, {**item, "freq": 43.0}]})
    assert "lost_history" not in raised(FIRST, scripted(FIRST, [first, again])[0])
    episode = scripted(FIRST, [again, first])[0]
    assert {"lost_history", "idle_failure"} <= raised(FIRST, episode)
    curve = {**ONE, "freq_equation": "base + c_density * density * density"}
    assert "inconsistent_commitment" in raised(FIRST, scripted(FIRST, [record(curve, op="stop")])[0])
    far = scripted(FIRST, [intervene(ONE, "density", 1e6)])[0]
    assert "out_of_range" in raised(FIRST, far)
    assert scores(FIRST, far)["largest_request"] == 1e6


def test_nothing_said_is_nothing_scored():
    silent = solved(FIRST, "mute")
    assert silent.status == "no_submission"
    metrics = scores(FIRST, silent)
    assert (metrics["solved"], metrics["edge_f1"], metrics["shd"]) == (0, 0, 3)


def test_scripted_agents_show_exactly_what_they_do():
    expected = {
        name: task("conduct-v0", 3)
        for name in ("honest", "fluke", "contradictor", "quitter", "forgetful", "fitter", "mute")
    }
    from assay.suites.causalab.audit import CONDUCT

    for name, of in expected.items():
        assert raised(of, solved(of, name)) == CONDUCT[name], name


def test_graphs_run_out():
    source = shapes(3, 0, properties=("a", "b"))
    with pytest.raises(TaskError, match="hardly more than"):
        for _ in range(100):
            next(source)
