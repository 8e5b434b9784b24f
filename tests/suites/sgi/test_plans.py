"""Ideas of version 1: plans, the world that carries them out, and what they are worth."""

from __future__ import annotations

import json
import math
from functools import cache
from statistics import fmean, variance
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.suites.sgi import second_laboratory

from assay.numbers import rng
from assay.suites.sgi.frame import curves
from assay.suites.sgi.frame.attackers import ATTACKERS, Attack
from assay.suites.sgi.frame.family import LEVELS, Row
from assay.suites.sgi.plans import laboratory, prompt, surface
from assay.suites.sgi.plans.choices import kinds, names_of, object_of, plan_of
from assay.suites.sgi.plans.ideas import Ideas, published
from assay.suites.sgi.plans.plan import FIELDS, from_json, read_plan, to_text
from assay.suites.sgi.plans.score import effectiveness, novelty

ideas = Ideas()
SEED = 555


@cache
def item() -> Row:
    """An item of the third level."""
    return ideas.generate(SEED, 0, 3)


def points(reply: str) -> float:
    """The headline of a reply to the item."""
    return curves.points(ideas, item(), reply)


def test_worked_examples_of_effectiveness() -> None:
    known = {"zero": 0.0, "knee": 0.4, "reference": 0.9}
    found = [round(effectiveness(v, known), 4) for v in (0.2, 0.4, 0.7, 0.873, -1.0, 2.0)]
    assert found == [0.025, 0.05, 0.6525, 1.0, 0.0, 1.0]


def test_an_item_keeps_what_the_generator_promises() -> None:
    row = item()
    ideas.verify(row)
    assert len(row["x_inferences"]) == 10
    assert points(row["answer"]) >= 95
    names = names_of(prompt.read_structure(row["question"]))
    told = prompt.sheet(prompt.read_structure(row["question"]), row["question"], names)
    assert set(told) == set(row["x_given"])
    for name, value in told.items():
        if isinstance(value, str):
            assert value == row["x_right"][name]
        else:
            assert value == pytest.approx(row["x_right"][name], abs=0.002)


def test_published_plans_are_worth_little_and_solvers_much() -> None:
    row = item()
    copies = [points(to_text(plan)) for plan in row["x_published"]]
    solved = points(ideas.solve([row["question"]]))
    assert max(copies) <= 5
    assert max(copies) < solved <= 100


def test_what_is_written_from_the_prompt_alone_is_worth_the_same() -> None:
    row = item()
    written = ideas.write([row["question"]], ideas.constants())
    assert points(written) == pytest.approx(points(ideas.play(row, ideas.house(row))), abs=2)


@pytest.mark.parametrize("name", ["gibberish", "prompt-copier", "frozen-house"])
def test_attackers_that_infer_nothing_get_nothing(name: str) -> None:
    assert points(ATTACKERS[name][0](Attack(ideas, item(), [], rng.stream(1, name)))) <= 5


def test_words_and_declarations_alone_earn_nothing() -> None:
    row = item()
    empty = dict.fromkeys(FIELDS) | {"factors": {}, "declares": {"runs": 1, "cost": 1, "days": 1}}
    assert points(to_text(empty | {"Idea": "An investigation of everything. " * 200})) <= 5
    assert points("no plan") == 0
    true = json.loads(row["answer"].removeprefix("<answer>").removesuffix("</answer>"))
    lying = {**true, "declares": {"runs": 7, "cost": 1e6, "days": 0}}
    assert points(to_text(lying)) < points(to_text(true))


def test_runs_that_are_not_allowed_or_not_paid_for_are_not_made() -> None:
    world = item()["x_world"]
    name = world["factors"][0]["name"]
    beyond = world["factors"][0]["high"] * 3 + 10
    outcome = laboratory.execute(world, from_json({"factors": {name: beyond}, "layout": "star"}))
    assert outcome.done == 0
    assert outcome.value == 0
    many = laboratory.execute(world, from_json({"factors": {}, "replicates": 50, "instrument": "exact"}))
    assert many.cost <= world["budget"]
    assert many.done < 1


def test_a_plan_declares_what_comes_true() -> None:
    row = item()
    for choices in (row["x_right"], {**row["x_right"], "second": "yes", "replicates": "3", "layout": "grid"}):
        outcome = laboratory.execute(row["x_world"], plan_of(row["x_world"], choices))
        declared = object_of(row["x_world"], choices)["declares"]
        assert (declared["runs"], declared["days"]) == (outcome.runs, outcome.days)
        assert declared["cost"] == pytest.approx(outcome.cost, abs=0.01)


def test_controls_take_out_effects_of_days_and_cost_a_run_a_day() -> None:
    world = {**item()["x_world"], "day_effect": 0.4, "noise": {"cheap": 1e-9, "exact": 1e-9}}
    truth = np.full((2, 3 * world["day_capacity"]), 0.5)
    plain = laboratory.readings(world, truth, "exact", range(2), 0)
    controlled = laboratory.readings(world, truth, "exact", range(2), 0, np.array([0.8, 0.8]))
    assert plain.std(axis=1).min() > 0.01
    assert controlled.std(axis=1).max() < 1e-6
    plans = [from_json({"instrument": "exact", "analysis": {"adjust": adjust}}) for adjust in ("no", "day")]
    costs = [laboratory.stage(world, plan, 3 * world["day_capacity"], 1e9)[1] for plan in plans]
    assert costs[1] - costs[0] == pytest.approx(3 * world["price"]["exact"])


def test_the_response_is_largest_at_the_top_and_dead_beyond_the_line() -> None:
    world = item()["x_world"]
    top = np.array(
        [[world["top"][at] if at in world["active"] else 0.5 for at in range(len(world["usual"]))]]
    )
    assert surface.response(world, top)[0] == 1
    assert (surface.response(world, np.random.default_rng(1).random((200, top.shape[1]))) <= 1).all()
    a, b = world["dead"]["factors"]
    beyond = top.copy()
    beyond[0, a] += 5 * world["dead"]["lean"][0]
    beyond[0, b] += 5 * world["dead"]["lean"][1]
    assert surface.response(world, beyond)[0] == 0


def test_a_copy_of_a_published_plan_is_not_new() -> None:
    known = published(item())
    plan, places = known[0]
    assert novelty(plan, places, known) == 0
    flags = ideas.audit(item(), to_text(item()["x_published"][0]))
    assert flags == {"no_answer": False, "copied_idea": True}


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("<answer>", "Here:\n<answer>\n```json").replace(
            "</answer>", "```\n</answer>"
        ),
        lambda text: text.replace("<answer>", "").replace("</answer>", ""),
        lambda text: text.replace('"one_at_a_time"', '"one at a time"').replace('"star"', '"Star"'),
        lambda text: text.replace('"randomise"', '"randomize"'),
        lambda text: text.replace("{\n", '{\n "note": "extra",', 1),
    ],
)
def test_plans_in_other_forms_score_the_same(change: Any) -> None:
    assert points(change(item()["answer"])) == pytest.approx(points(item()["answer"]), abs=3)


def test_numbers_as_texts_with_units_are_numbers() -> None:
    plan = from_json({"factors": {"x": ["1,5 mM", "2 mM"], "y": "10^-3"}, "second": {"shrink": "0.5"}})
    assert plan.varied == {"x": (1.5, 2.0)}
    assert plan.held == {"y": 0.001}
    assert plan.second is not None
    assert plan.second.shrink == 0.5


@settings(max_examples=60, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.sampled_from([*FIELDS, "runs", "shrink", "model"]), inner, max_size=4)
        ),
        max_leaves=12,
    )
)
def test_any_plan_is_scored(value: Any) -> None:
    body = json.dumps(
        {"factors": {item()["x_world"]["factors"][0]["name"]: value}, "runs": value, "second": value}
    )
    assert 0 <= points(f"<answer>{body}</answer>") <= 100
    read_plan(json.dumps(value))


def test_every_decision_has_values_and_wrong_values() -> None:
    assert set(prompt.manual()["sheet"]) == set(kinds())
    for name, decision in kinds().items():
        for right in decision.grid():
            assert decision.wrong(right), name


@pytest.mark.full
def test_a_second_program_carries_twenty_references_out() -> None:
    """Each mean of 120 repetitions agrees within four standard errors, and so does the mean of all."""
    differences, errors = [], []
    for at in range(20):
        row = ideas.generate(90210, at, LEVELS[at % len(LEVELS)])
        plan = read_plan(row["answer"])
        assert plan is not None
        first = [
            laboratory.execute({**row["x_world"], "key": row["x_world"]["key"] + other}, plan).value
            for other in range(10)
        ]
        second = second_laboratory.values(row["x_world"], row["answer"], 120, at)
        difference = fmean(first) - fmean(second)
        error = math.sqrt(variance(first) / len(first) + variance(second) / len(second))
        assert abs(difference) <= 4 * error + 1e-6, row["x_world"]["kind"]
        differences.append(difference)
        errors.append(error)
    assert abs(fmean(differences)) <= 4 * math.hypot(*errors) / len(errors)
