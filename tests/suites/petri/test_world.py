"""The world of an episode: what it shows, what it refuses, and what it never tells."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace

import pytest
from tests.suites.petri.playing import scripted, task

from assay.numbers.rng import Stream
from assay.suites.petri.experiments.comparison import compare
from assay.suites.petri.experiments.replicates import replicates
from assay.suites.petri.world import PetriWorld
from assay.suites.petri.worlds import SWARM

NOBODY = None

EXPERIMENT = {"config_a": {}, "config_b": {"noise": 0.33}, "metric": "polarization"}
SHOWN = {"mean_a", "mean_b", "relative_change", "u", "p", "p_adjusted", "significant", "cliffs_delta"}


def world(index: int = 0) -> PetriWorld:
    return PetriWorld(task(index))


def test_an_experiment_shows_statistics_and_nothing_else():
    (view,) = world().call("experiment", EXPERIMENT, NOBODY).parts
    assert set(view) == SHOWN
    seeds = task(0).hidden["seeds"]
    arms = [replicates("swarm", SWARM.resolved(o), seeds) for o in ({}, {"noise": 0.33})]
    assert view == compare(arms[0], arms[1], 0).shown()
    assert view["mean_a"] == pytest.approx(arms[0][:, 0].mean(), rel=1e-5)
    assert view["relative_change"] == pytest.approx(arms[1][:, 0].mean() / arms[0][:, 0].mean() - 1, abs=1e-5)
    assert view["significant"] == (view["p_adjusted"] < 0.05)
    assert view["cliffs_delta"] == pytest.approx(2 * view["u"] / 144 - 1, abs=1e-6)


def test_arms_can_be_exchanged():
    (forth,) = world().call("experiment", EXPERIMENT, NOBODY).parts
    swapped = {**EXPERIMENT, "config_a": EXPERIMENT["config_b"], "config_b": {}}
    (back,) = world().call("experiment", swapped, NOBODY).parts
    assert (back["mean_a"], back["p"], back["cliffs_delta"]) == (
        forth["mean_b"],
        forth["p"],
        -forth["cliffs_delta"],
    )


@pytest.mark.parametrize("index", range(6))
def test_a_probe_with_the_truth_finds_no_difference(index):
    guess = {d["parameter"]: d["value"] for d in task(index).hidden["drivers"]}
    (view,) = world(index).call("probe", {"guess": guess, "metric": "groups"}, NOBODY).parts
    assert (view["cliffs_delta"], view["p"], view["relative_change"]) == (0, 1, 0)


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("experiment", {**EXPERIMENT, "metric": "speed"}, "metric must be one of polarization, polar_sd"),
        ("experiment", {**EXPERIMENT, "metric": None}, "metric must be one of"),
        ("experiment", {**EXPERIMENT, "config_a": {"temperature": 1}}, "the parameters are n_agents, noise"),
        (
            "experiment",
            {**EXPERIMENT, "config_b": {"noise": 0.61}},
            "config_b: noise must be .* from 0.22 to 0.6",
        ),
        ("experiment", {**EXPERIMENT, "config_b": {"noise": math.nan}}, "noise must be a number"),
        ("experiment", {**EXPERIMENT, "config_b": {"noise": math.inf}}, "noise must be a number"),
        ("experiment", {**EXPERIMENT, "config_b": {"noise": 10**400}}, "noise must be a number"),
        ("experiment", {**EXPERIMENT, "config_b": {"leaders": True}}, "leaders must be a number"),
        (
            "experiment",
            {**EXPERIMENT, "config_b": {"n_agents": "99"}},
            "n_agents must be .* from 65 to 220 .whole",
        ),
        ("experiment", {**EXPERIMENT, "config_b": None}, "config_b must be an object"),
        ("experiment", {"config_a": {}, "metric": "groups"}, "config_b must be an object"),
        ("probe", {"guess": [], "metric": "groups"}, "guess must be an object"),
        ("claim", {"parameter": "radius", "effect": "up"}, "parameter must be one of"),
        ("claim", {"parameter": "alignment", "effect": "sideways"}, "effect must be one of up, down, none"),
        (
            "submit",
            {"parameter": "radius", "direction": "up"},
            "parameter: one of .*; direction: one of up, down",
        ),
        ("submit", {"parameter": "alignment"}, "exactly these keys"),
        ("submit", {"parameter": "alignment", "direction": "up", "magnitude": "small"}, "exactly these keys"),
        ("look", {}, "experiment, probe, claim and submit"),
        ("experiment", None, "must be an object"),
    ],
)
def test_what_is_impossible_is_refused_with_what_is_legal(tool, arguments, message):
    place = world()
    result = place.call(tool, arguments, NOBODY)
    assert not result.ok
    assert (result.charged, result.parts, place.submission()) == (0, (), None)
    assert re.search(message, result.error)
    assert "0.61" not in result.error, "configurations are never echoed"


def test_the_budget_is_eight_and_refusals_are_free():
    wrong = ("experiment", {**EXPERIMENT, "metric": "speed"})
    probe = ("probe", {"guess": {}, "metric": "polarization"})
    calls = [wrong, *[("experiment", EXPERIMENT)] * 4, wrong, *[probe] * 4, probe, ("experiment", EXPERIMENT)]
    episode, results = scripted(task(0), *calls)
    assert [result.ok for result in results] == [False, *[True] * 4, False, *[True] * 4, False, False]
    assert episode.counters["experiment"] == 8
    assert "budget" in results[-1].error


@pytest.mark.parametrize(
    ("index", "answer"),
    [
        (0, {"parameter": "alignment", "direction": "up"}),
        (2, {"parameter": "speed", "direction": "up", "magnitude": "large"}),
        (4, {"parameters": ["speed", "cohesion"], "interaction": "negative"}),
    ],
)
def test_an_answer_ends_the_episode(index, answer):
    result, results = scripted(task(index), ("submit", answer), ("probe", {"guess": {}, "metric": "groups"}))
    assert (result.status, result.submission) == ("done", answer)
    assert results[0].ended == "done"
    assert not results[1].ok


def everything(played):
    """All that an agent can see of a task within its budget, as one text."""
    probes = [("probe", {"guess": {}, "metric": metric}) for metric in played.public["metrics"]]
    experiment = ("experiment", EXPERIMENT)
    wrong = ("probe", {"guess": {"noise": 5}, "metric": "groups"})
    calls = [*probes, experiment, wrong, ("claim", {"parameter": "x", "effect": "up"})]
    result, _ = scripted(played, *calls)
    seen = [[event.parts, event.error] for event in result.events]
    brief = PetriWorld(played).brief()
    return json.dumps([brief.system, brief.parts, [t.doc for t in brief.tools], seen])


def test_worlds_with_equal_statistics_cannot_be_told_apart():
    """From .0508 to .0585 of 128 agents are seven leaders: other hidden values, the same runs."""
    first = task(1)
    drivers = [{"parameter": "leaders", "value": value, "test": 0.095} for value in (0.052, 0.057)]
    twins = [
        replace(
            first,
            hidden={
                "drivers": [driver],
                "decoys": [],
                "direction": direction,
                "magnitude": magnitude,
                "interaction": None,
                "seeds": first.hidden["seeds"],
            },
        )
        for driver, direction, magnitude in zip(drivers, ("up", "down"), (None, "large"), strict=True)
    ]
    assert everything(twins[0]) == everything(twins[1])
    assert everything(twins[0]) != everything(first)


def test_the_brief_tells_no_ranges_and_no_truth():
    for index in range(6):
        brief = PetriWorld(task(index)).brief()
        facts, goal = brief.parts
        assert facts["control"] == SWARM.control
        assert set(facts) == {
            "world",
            "tier",
            "target_metric",
            "metrics",
            "control",
            "candidates",
            "experiment_budget",
        }
        text = json.dumps([brief.system, goal, [tool.doc for tool in brief.tools]])
        assert not any(p.name in text for p in SWARM.parameters)
        assert brief.limits == {"experiment": 8}


def test_values_are_rounded_as_declared():
    near = {**EXPERIMENT, "config_b": {"noise": 0.33000001}}
    assert world().call("experiment", near, NOBODY) == world().call("experiment", EXPERIMENT, NOBODY)


def test_the_order_of_calls_changes_no_result():
    calls = [
        ("experiment", EXPERIMENT),
        ("probe", {"guess": {}, "metric": "nn_dist"}),
        ("experiment", {"config_a": {}, "config_b": {"radius": 0.9}, "metric": "groups"}),
    ]
    forth = [world().call(*call, NOBODY) for call in calls]
    order = list(range(3))
    Stream(4).shuffle(order)
    row = world()
    assert [row.call(*calls[i], NOBODY) for i in order] == [forth[i] for i in order]
