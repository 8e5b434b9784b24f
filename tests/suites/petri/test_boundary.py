"""Tier L4: where a phase boundary lies."""

from __future__ import annotations

import json
from dataclasses import replace

import pandas as pd
import pytest
from tests.suites.petri.playing import BLOBS, MATERIALS, ROOT, episode_at, frozen, metrics, raised, scripted

from assay.errors import TaskError
from assay.stages.scores import score_rows
from assay.suites.petri import SUITE, audit, calibration, tasks
from assay.suites.petri.boundary.scoring import LAZY, REACH, gap
from assay.suites.petri.boundary.tasks import Bracket, find_bracket, fits, past_level
from assay.suites.petri.boundary.transitions import TRANSITIONS
from assay.suites.petri.solvers import SOLVERS
from assay.suites.petri.tables import intervals
from assay.suites.petri.world import open as open_world
from assay.suites.petri.worlds import WORLDS
from assay.task import file_name

SET = ROOT / "tasks" / "petri" / "l4-v0"
SWARM = TRANSITIONS["swarm"]
INDICES = [pytest.param(i, marks=[pytest.mark.full] if i in (4, 5) else []) for i in range(8)]
"""All tasks; two are of a slow world."""
WIDTH = 0.38


def task(index):
    return frozen("l4-v0", index)


def episode(index, name, attempt=0):
    return episode_at("l4-v0", index, name, attempt)


def submit(estimate, low, high):
    return "submit", {"estimate": estimate, "low": low, "high": high}


@pytest.mark.parametrize(
    "index", [3, 7, *(pytest.param(i, marks=pytest.mark.full) for i in (0, 1, 2, 4, 5, 6))]
)
def test_frozen_tasks_are_generated_and_sound(index):
    recipe = tasks.SETS["l4-v0"]
    made = tasks.generate(recipe, "l4-v0", index, recipe.seed, BLOBS)
    assert made.frozen_text() == (SET / file_name(index)).read_text(encoding="utf-8")
    tasks.verify(made)


@pytest.mark.parametrize("index", INDICES)
def test_the_order_parameter_passes_the_level_within_the_bracket(index):
    low, high = task(index).hidden["bracket"]
    context = task(index).hidden["context"]
    transition = TRANSITIONS[task(index).public["world"]]
    step = 0.08 * transition.width
    assert past_level(transition, context, low - step, 48)[0] < 0
    assert past_level(transition, context, high + step, 48)[0] > 0
    assert fits(transition, Bracket(low, high), task(index).hidden["at_control"])
    assert set(context) < set(transition.context)


@pytest.mark.parametrize(
    ("bracket", "fit"),
    [
        (Bracket(0.36, 0.37), True),
        (Bracket(0.22, 0.24), False),  # at an end
        (Bracket(0.44, 0.45), False),  # where it lies at control
        (Bracket(0.30, 0.36), False),  # vague
    ],
)
def test_which_boundaries_make_a_task(bracket, fit):
    assert fits(SWARM, bracket, 0.42) == fit


def test_a_task_that_was_tampered_with_is_found():
    hidden = task(0).hidden
    for wrong in ({"bracket": [0.3, 0.31]}, {"context": {}}, {"context": None}):
        with pytest.raises(TaskError, match="not sound"):
            tasks.verify(replace(task(0), hidden={**hidden, **wrong}))


def test_transitions_are_consistent():
    for name, transition in TRANSITIONS.items():
        world = WORLDS[name]
        assert transition.metric in world.metrics
        for parameter, (low, high) in {transition.parameter: transition.span, **transition.context}.items():
            domain = world.parameter(parameter).domain
            assert domain[0] <= low < high <= domain[1]
        assert transition.parameter not in transition.context
        at_ends = [past_level(transition, {}, value, 12)[0] for value in transition.span]
        assert at_ends[0] < 0 < at_ends[1]


@pytest.mark.full
def test_the_bracket_holds_what_more_runs_say():
    """Bisection with eight times the runs of a fine value ends in the bracket, or a third of it away."""
    result = find_bracket(SWARM, {})
    low, high = SWARM.span
    for _ in range(9):
        middle = (low + high) / 2
        if past_level(SWARM, {}, round(middle, 3), 192)[0] < 0:
            low = middle
        else:
            high = middle
    assert gap(low, high, result.low, result.high) <= (result.high - result.low) / 3


# ------------------------------------------------------------ the world


def test_a_measurement_shows_mean_and_spread():
    measure = ("measure", {"value": 0.4})
    result, (first, again) = scripted(task(0), measure, measure)
    assert first == again
    (view,) = first.parts
    assert set(view) == {"mean", "sd", "runs"}
    assert view["runs"] == 12
    assert result.counters["measure"] == 2


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("measure", {"value": 0.7}, "value must be a number from 0.22 to 0.6"),
        ("measure", {"value": True}, "value must be a number"),
        ("measure", {"value": float("nan")}, "value must be a number"),
        ("measure", {}, "value must be a number"),
        ("submit", {"estimate": 0.4, "low": 0.41, "high": 0.5}, "low <= estimate <= high"),
        ("submit", {"estimate": 0.4, "low": 0.3}, "high must be a number"),
        ("experiment", {}, "the tools are measure and submit"),
        ("measure", None, "value must be a number"),
    ],
)
def test_what_is_impossible_is_refused(tool, arguments, message):
    world = open_world(task(0), MATERIALS, None, None)
    result = world.call(tool, arguments, None)
    assert not result.ok
    assert message in result.error
    assert (result.charged, world.submission()) == (0, None)


def test_the_budget_holds_and_an_answer_ends_the_episode():
    calls = [("measure", {"value": 0.3 + k / 100}) for k in range(9)]
    episode, results = scripted(task(0), *calls, submit(0.4, 0.3, 0.5), calls[0])
    assert [result.ok for result in results] == [*[True] * 8, False, True, False]
    assert (episode.status, episode.submission) == ("done", {"estimate": 0.4, "low": 0.3, "high": 0.5})


def test_the_brief_tells_no_context():
    brief = open_world(task(0), MATERIALS, None, None).brief()
    text = json.dumps([brief.system, brief.parts, [tool.doc for tool in brief.tools]])
    assert not any(name in text for name in SWARM.context)
    assert "falls as the parameter grows" in text
    assert "90%" in text


# ------------------------------------------------------------ points and flags


def scored(*calls):
    return metrics(task(0), scripted(task(0), *calls)[0])


def test_accuracy_and_interval():
    low, high = task(0).hidden["bracket"]
    middle = (low + high) / 2
    exact = scored(submit(middle, low, high))
    assert exact["correctness"] == 50
    assert exact["interval"] == pytest.approx(30 * (1 - (high - low) / WIDTH / LAZY))
    assert (exact["solved"], exact["covered"], exact["distance"], exact["rigor"]) == (1, 1, 0, 0)
    off = REACH * WIDTH / 2
    half = scored(submit(low - off, low - off, high))
    assert half["correctness"] == pytest.approx(25)
    assert half["solved"] == 0
    point = scored(submit(low - off, low - off, low - off))
    assert point["interval"] == 0, "a sure and wrong interval is worth nothing"
    assert point["covered"] == 0
    lazy = scored(submit(middle, 0.22, 0.6))
    assert (lazy["interval"], lazy["covered"], lazy["length"]) == (0, 1, pytest.approx(1))


def test_honest_intervals_score_best():
    """The interval score is proper: for a normal belief the best half width is 1.645 standard deviations."""
    low, high = task(0).hidden["bracket"]
    sd = 0.015 * WIDTH

    def expected(half):
        quantiles = [-1.96 + 3.92 * (k + 0.5) / 40 for k in range(40)]
        weights = [2.718281828 ** (-q * q / 2) for q in quantiles]
        points = []
        for q in quantiles:
            centre = (low + high) / 2 + sd * q
            points.append(scored(submit(centre, centre - half, centre + half))["interval"])
        return sum(w * p for w, p in zip(weights, points, strict=True)) / sum(weights)

    honest = expected(1.4 * sd)
    assert honest > max(expected(0.4 * sd), expected(0.8 * sd), expected(2.4 * sd), expected(4 * sd))


def test_rigor_asks_for_clear_measurements_on_both_sides():
    low, high = task(0).hidden["bracket"]
    middle = (low + high) / 2
    left, right = ("measure", {"value": 0.23}), ("measure", {"value": 0.59})
    answer = submit(middle, low, high)
    assert scored(left, right, answer)["rigor"] == 20
    assert scored(left, answer)["rigor"] == scored(right, answer)["rigor"] == 0
    near = ("measure", {"value": middle})
    assert scored(near, right, answer)["rigor"] == 0
    assert scored(left, right, submit(0.225, 0.22, 0.3))["rigor"] == 0, "both lie on one side of the answer"


@pytest.mark.parametrize("index", INDICES)
def test_bisection_finds_it(index):
    result = metrics(task(index), episode(index, "bisection"))
    assert result["correctness"] > 40
    assert result["rigor"] == 20
    assert result["calls"] == 8
    guess = [metrics(task(index), episode(index, "random", a))["score"] for a in range(5)]
    assert result["score"] > max(guess)


@pytest.mark.parametrize("name", sorted(SOLVERS))
def test_known_conduct_raises_exactly_its_flags(name):
    result = episode(0, name)
    conduct = audit.expected(name, task(0).strata, result.submission is not None)
    assert raised(task(0), result) == conduct.due
    assert result.status in ("done", "no_submission")


def test_calibration_says_how_sharp_the_truth_is():
    results = {m.measure: m.value for m in calibration.calibrate(task(0), {"seeds": 48}, MATERIALS)}
    low, high = task(0).hidden["bracket"]
    assert results["bracket"] == pytest.approx((high - low) / WIDTH)
    assert 0.5 < results["slope"] < 5
    assert 0 < results["resolution"] < 0.1
    assert abs(results["from_control"]) >= 0.1


def test_the_table_of_intervals():
    low, high = task(0).hidden["bracket"]
    right = scripted(task(0), submit((low + high) / 2, low, high))[0]
    wrong = replace(scripted(task(0), submit(0.23, 0.23, 0.23))[0], attempt=1)
    silent = replace(scripted(task(0))[0], attempt=2)
    frames = {
        "tasks": pd.DataFrame([task(0).to_row(0)]),
        "scores": pd.DataFrame(
            [row for e in (right, wrong, silent) for row in score_rows(SUITE, task(0), e, MATERIALS)]
        ),
    }
    (row,) = intervals.intervals(frames).to_dict("records")
    assert (row["scope"], row["agent"], row["episodes"]) == ("l4-v0", "script", 2)
    assert row["covered"] == 0.5
    assert row["length"] == pytest.approx((high - low) / WIDTH / 2)
