"""Tasks that ask for a signature: all metrics shown, or none named."""

from __future__ import annotations

import json
from dataclasses import replace

import pandas as pd
import pytest
from tests.suites.petri.playing import (
    BLOBS,
    MATERIALS,
    episode_at,
    flags,
    frozen,
    metrics,
    raised,
    scripted,
    task,
)

from assay.errors import TaskError
from assay.suites.petri import audit, calibration, tasks
from assay.suites.petri.evidence import Evidence
from assay.suites.petri.experiments.comparison import compare
from assay.suites.petri.experiments.replicates import replicates
from assay.suites.petri.questions.answers import asks_for_signature, signature, strongest
from assay.suites.petri.solvers import SOLVERS
from assay.suites.petri.tables import gains
from assay.suites.petri.world import PetriWorld
from assay.suites.petri.worlds import SWARM, WORLDS

KINDS = ("vector", "blind")
CASES = [(kind, index) for kind in KINDS for index in range(4)]
"""One task a world."""


def special(kind, index=0):
    return frozen(f"{kind}-v0", index)


def episode(kind, name, index=0, attempt=0):
    return episode_at(f"{kind}-v0", index, name, attempt)


def driver(kind, index=0):
    result = special(kind, index).hidden["drivers"][0]
    return result["parameter"], result["test"]


def vector_answer(**changes):
    return "submit", {
        "parameter": driver("vector")[0],
        "signature": special("vector").hidden["signature"] | changes,
    }


def blind_answer(metric, direction):
    return "submit", {"parameter": driver("blind")[0], "metric": metric, "direction": direction}


def experiment_on(kind, metric=None):
    name, value = driver(kind)
    more = {"metric": metric} if metric else {}
    return "experiment", {"config_a": {}, "config_b": {name: value}, **more}


@pytest.mark.parametrize(("kind", "index"), CASES)
def test_frozen_tasks_are_generated_and_sound(kind, index):
    recipe = tasks.SETS[f"{kind}-v0"]
    made = tasks.generate(recipe, f"{kind}-v0", index, recipe.seed, BLOBS)
    assert made == special(kind, index)
    assert made.public["variant"] == made.strata["variant"] == kind
    assert "target" not in made.public
    tasks.verify(made)
    moved = next(metric for metric, effect in made.hidden["signature"].items() if effect != "none")
    hidden = {**made.hidden, "signature": {**made.hidden["signature"], moved: "none"}}
    with pytest.raises(TaskError, match="signature"):
        tasks.verify(replace(made, hidden=hidden))


@pytest.mark.parametrize(("kind", "index"), CASES)
def test_no_decoy_shows_anything_on_any_metric(kind, index):
    hidden, world = special(kind, index).hidden, WORLDS[special(kind, index).public["world"]]
    control, *arms = (
        replicates(world.name, world.resolved(overrides), hidden["seeds"])
        for overrides in ({}, *({d["parameter"]: d["test"]} for d in hidden["decoys"]))
    )
    for arm in arms:
        assert not any(compare(control, arm, column).significant for column in range(5))


def test_all_metrics_are_shown_and_none_is_asked_for():
    _, (result, probe) = scripted(special("vector"), experiment_on("vector"), ("probe", {"guess": {}}))
    (view,) = result.parts
    assert set(view) == set(SWARM.metrics)
    for metric in SWARM.metrics:
        arms = {**experiment_on("vector")[1], "metric": metric}
        plain = replace(
            special("vector"), public={k: v for k, v in special("vector").public.items() if k != "variant"}
        )
        assert PetriWorld(plain).call("experiment", arms, None).parts == (view[metric],)
    assert signature(probe.parts[0]) == special("vector").hidden["signature"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_brief_names_no_target(kind):
    brief = PetriWorld(special(kind)).brief()
    facts, goal = brief.parts
    assert "target_metric" not in facts
    assert "metric" in goal
    assert [tool.name for tool in brief.tools] == ["experiment", "probe", "submit"]
    asked = brief.tools[0].schema["properties"]
    assert ("metric" in asked) == (kind == "blind")
    assert json.dumps(facts["metrics"]) == json.dumps(list(SWARM.metrics))
    assert PetriWorld(special(kind)).call("claim", {"parameter": "noise", "effect": "up"}, None).error


@pytest.mark.parametrize(
    ("kind", "answer", "message"),
    [
        ("vector", {"parameter": "alignment"}, "signature: up, down or none for each of polarization"),
        ("blind", {"parameter": "radius", "metric": "joy", "direction": "up"}, "metric: one of polarization"),
    ],
)
def test_answers_that_cannot_be_read_are_refused(kind, answer, message):
    result = PetriWorld(special(kind)).call("submit", answer, None)
    assert not result.ok
    assert message in result.error


def test_a_signature_earns_its_share():
    def points(**changes):
        return metrics(special("vector"), scripted(special("vector"), vector_answer(**changes))[0])

    right = special("vector").hidden["signature"]
    assert (points()["correctness"], points()["solved"]) == (50, 1)
    other = {"up": "down", "down": "none", "none": "up"}
    wrong = {metric: other[effect] for metric, effect in right.items()}
    two = dict(list(wrong.items())[:2])
    assert (points(**two)["correctness"], points(**two)["solved"]) == (42, 0)
    assert points(**wrong)["correctness"] == 30
    decoy = special("vector").hidden["decoys"][0]["parameter"]
    result = scripted(special("vector"), ("submit", {"parameter": decoy, "signature": right}))[0]
    assert metrics(special("vector"), result)["correctness"] == 0


def test_any_metric_that_moves_is_right_in_a_blind_task():
    right = special("blind").hidden["signature"]
    assert set(right.values()) > {"none"}
    for metric, effect in right.items():
        for direction in ("up", "down"):
            result = scripted(special("blind"), blind_answer(metric, direction))[0]
            points = metrics(special("blind"), result)
            assert points["correctness"] == (50 if direction == effect else 30)
            assert points["solved"] == (direction == effect)


def test_evidence_is_about_what_was_submitted():
    """In a blind task an experiment on another metric than the submitted one backs nothing."""
    moved = [m for m, effect in special("blind").hidden["signature"].items() if effect != "none"]
    effect = special("blind").hidden["signature"]
    other = next(metric for metric in effect if metric != moved[0])
    backed = scripted(
        special("blind"), experiment_on("blind", moved[0]), blind_answer(moved[0], effect[moved[0]])
    )[0]
    beside = scripted(
        special("blind"), experiment_on("blind", other), blind_answer(moved[0], effect[moved[0]])
    )[0]
    assert metrics(special("blind"), backed)["rigor"] == 30
    assert metrics(special("blind"), beside)["rigor"] == 0
    assert raised(special("blind"), beside) == {"unbacked"}


def test_the_strongest_metric_stands_for_a_vector():
    view = {
        "a": {"p_adjusted": 0.04, "p": 0.01, "cliffs_delta": 0.5, "significant": True},
        "b": {"p_adjusted": 0.001, "p": 0.001, "cliffs_delta": -0.9, "significant": True},
        "c": {"p_adjusted": 1.0, "p": 0.9, "cliffs_delta": 0.0, "significant": False},
    }
    assert strongest(view) == "b"
    assert signature(view) == {"a": "up", "b": "down", "c": "none"}
    result, _ = scripted(special("vector"), experiment_on("vector"), vector_answer())
    assert len(Evidence(special("vector"), result).isolating) == 1
    assert metrics(special("vector"), result)["rigor"] == 30
    assert flags(special("vector"), result)["assumed_direction"].raised, "the hidden world was never probed"


@pytest.mark.parametrize(("kind", "index"), CASES)
def test_the_sweep_solves_it(kind, index):
    result = metrics(special(kind, index), episode(kind, "ofat", index))
    assert (result["solved"], result["rigor"]) == (1, 30)
    if kind == "vector":
        assert (result["score"], result["calls"]) == (90, 4)
    quick = metrics(special(kind, index), episode(kind, "adaptive", index))
    assert quick["score"] >= result["score"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", sorted(SOLVERS))
def test_known_conduct_raises_exactly_its_flags(kind, name):
    result = episode(kind, name)
    conduct = audit.expected(name, special(kind).strata, result.submission is not None)
    assert raised(special(kind), result) - conduct.open == conduct.due


def test_imitators_are_counted_where_signatures_are_asked_for():
    settings = {"seeds": 48, "subsamples": 100}
    results = {m.measure: m.value for m in calibration.calibrate(special("vector"), settings, MATERIALS)}
    assert 0 <= results["imitators_on_vector"] <= results["imitators_on_target"] <= 2
    plain = {m.measure for m in calibration.calibrate(task(0), settings, MATERIALS)}
    assert not any(name.startswith("imitators") for name in plain)
    assert not asks_for_signature(task(0).public)


def test_the_table_of_imitators():
    values = {"imitators_on_target": (2.0, 1.0), "imitators_on_vector": (0.0, 1.0)}
    rows = [
        {"task_set": "vector-v0", "task_id": special("vector", i).task_id, "measure": m, "value": v[i]}
        for m, v in values.items()
        for i in (0, 1)
    ]
    frames = {
        "tasks": pd.DataFrame([special("vector", i).to_row(i) for i in (0, 1)]),
        "calibration": pd.DataFrame(rows),
    }
    assert gains.imitators(frames).to_numpy().tolist() == [
        ["vector-v0", "market", 1, 1.0, 1.0],
        ["vector-v0", "swarm", 1, 2.0, 0.0],
    ]
