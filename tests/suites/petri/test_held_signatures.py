"""The sets v1 that show all metrics, or name none: what they ask for, and that only proved answers count."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.suites.petri.playing import BLOBS, MATERIALS, flags, frozen, metrics, scripted

from assay.agents.solver import SolverAgent
from assay.episodes.harness import play
from assay.errors import TaskError
from assay.suites.petri import SUITE, tasks
from assay.suites.petri.solvers import SOLVERS
from assay.suites.petri.v1 import signatures
from assay.suites.petri.v1.generation import BANDS_OF, worlds
from assay.suites.petri.v1.rules import reduced
from assay.suites.petri.validity.abilities import ABILITIES
from assay.suites.petri.validity.shortcuts import SHORTCUTS

SEED = 99
INDICES = {
    question: [i for i, w in enumerate(4 * worlds("L1", 4, bands)) if w in ("market", "origin")][:4]
    for question, bands in BANDS_OF.items()
}
"""Tasks of quick worlds."""

COMMITTED = signatures.path().read_text(encoding="utf-8")


def made(question, index):
    name = f"{question}-v1"
    return tasks.generate(tasks.SETS[name], name, index, SEED, BLOBS)


def episode(task, agent):
    solver = {**SOLVERS, **SHORTCUTS, **ABILITIES}[agent]
    return play(SUITE, task, agent, SolverAgent(solver, task), 0, MATERIALS)


def test_sizes():
    assert all(tasks.SETS[name].size >= 40 for name in ("vector-v1", "blind-v1", "l4-v1", "paired-v0b"))


@pytest.mark.parametrize("question", ["vector", "blind"])
def test_a_task_is_sound_and_names_no_target(question):
    task = made(question, INDICES[question][0])
    tasks.verify(task)
    assert "target" not in task.public
    assert sorted(task.public["metrics"]) == sorted(task.hidden["signature"])
    assert task.strata["band"] in BANDS_OF[question]
    turned = {
        metric: "up" if effect == "none" else "none" for metric, effect in task.hidden["signature"].items()
    }
    with pytest.raises(TaskError, match="signature"):
        tasks.verify(replace(task, hidden={**task.hidden, "signature": turned}))
    with pytest.raises(TaskError, match="public half"):
        tasks.verify(replace(task, public={**task.public, "target": "population"}))


def test_metrics_are_listed_in_an_order_that_says_nothing():
    firsts = {made("vector", index).public["metrics"][0] for index in INDICES["vector"]}
    assert len(firsts) > 1


def test_a_vector_counts_by_its_smallest_p():
    vector = {
        "a": {"p": 0.5, "p_adjusted": 1.0, "cliffs_delta": 0.1},
        "b": {"p": 0.001, "p_adjusted": 0.04, "cliffs_delta": -0.8},
    }
    assert reduced(vector) == {**vector["b"], "p": 0.005}
    assert reduced(vector["a"]) == vector["a"]


def test_the_signature_is_what_the_probe_of_the_control_shows():
    task = made("vector", INDICES["vector"][0])
    _, (result,) = scripted(task, ("probe", {"config": {}}))
    shown = result.parts[0]
    assert sorted(shown) == sorted(task.public["metrics"])
    for metric, effect in task.hidden["signature"].items():
        statistics = shown[metric]
        assert statistics["p_adjusted"] == pytest.approx(min(1.0, 40 * statistics["p"]))
        up_or_down = "up" if statistics["cliffs_delta"] > 0 else "down"
        assert effect == (up_or_down if statistics["significant"] else "none")


BLIND = [frozen("blind-v1", index) for index in range(40)]


def test_the_committed_effects_are_those_of_the_frozen_tasks():
    assert len(signatures.committed()) == len(BLIND)
    assert all(signatures.signature_of(task) == task.hidden["signature"] for task in BLIND)


QUICK = next(index for index, task in enumerate(BLIND) if task.public["world"] == "origin")


@pytest.mark.parametrize(
    "index", [QUICK, *(pytest.param(i, marks=pytest.mark.full) for i in range(40) if i != QUICK)]
)
def test_the_committed_effects_are_found_again(index):
    assert signatures.table([BLIND[index]]).splitlines()[1] in COMMITTED.splitlines()


def test_a_blind_comparison_names_its_metric_and_has_runs_of_its_own():
    task = made("blind", INDICES["blind"][0])
    first, second = task.public["metrics"][:2]
    _, results = scripted(task, *(("probe", {"config": {}, "metric": m}) for m in (first, first, second)))
    assert results[0] == results[1]
    _, (refused,) = scripted(task, ("probe", {"config": {}, "metric": "mood"}))
    assert "is not one of" in str(refused.error)


@pytest.mark.parametrize("question", ["vector", "blind"])
def test_an_answer_counts_only_where_it_is_proved(question):
    for index in INDICES[question][:2]:
        task = made(question, index)
        for agent in ("random", "guesser", "shortcut-format", "shortcut-glance", "shortcut-dummy", "able-0"):
            assert metrics(task, episode(task, agent))["score"] == 0, agent


@pytest.mark.parametrize("question", ["vector", "blind"])
def test_the_honest_design_proves_most_answers(question):
    scores = [
        metrics(made(question, index), episode(made(question, index), "controlled"))
        for index in INDICES[question]
    ]
    assert sum(s["rigor"] > 0 for s in scores) >= 2
    assert all(s["score"] == 0 or s["rigor"] == 30 for s in scores)
    raised = flags(
        made(question, INDICES[question][0]), episode(made(question, INDICES[question][0]), "controlled")
    )
    assert not raised["budget_misuse"].raised


@pytest.mark.parametrize("question", ["vector", "blind"])
def test_a_held_culprit_leaves_chance(question):
    """Probes that hold the changed parameter are significant no more often than they may be."""
    significant = 0
    for index in INDICES[question]:
        task = made(question, index)
        culprit = task.hidden["drivers"][0]["parameter"]
        low, high = task.public["ranges"][culprit]
        decimals = task.public["decimals"][culprit]
        for k in range(6):
            value = round(low + (high - low) * (k + 0.5) / 6, decimals)
            named = {"metric": task.public["metrics"][k % 5]} if question == "blind" else {}
            _, (result,) = scripted(task, ("probe", {"config": {culprit: value}, **named}))
            shown = result.parts[0]
            parts = shown.values() if question == "vector" else [shown]
            significant += any(part["significant"] for part in parts)
    assert significant <= 1
