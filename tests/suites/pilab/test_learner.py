"""The reference without privilege, planted abilities and shortcuts of the v1 sets."""

from __future__ import annotations

import inspect
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from tests.suites.pilab.episodes import SUITE

from assay.agents.solver import SolverAgent
from assay.episodes import harness
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import Episode
from assay.suites.pilab.environment import parameters
from assay.suites.pilab.environment.parameters import TURNS
from assay.suites.pilab.experiments.runs import POLICIES, play
from assay.suites.pilab.interface.prompt import STEPS_OF_A_TURN
from assay.suites.pilab.lab.papers import impact
from assay.suites.pilab.policies import learner
from assay.suites.pilab.policies.steward import truth
from assay.suites.pilab.solvers import mode_like
from assay.suites.pilab.tasks import SETS, generate
from assay.suites.pilab.validity.shortcuts import SHORTCUTS, blind

SEALED = [name for name in SHORTCUTS if name != "shortcut-manager"]
BLIND = "shortcut-blind"


def played(agent: str, task_set: str = "closed-v1", index: int = 0, hidden: Any = None) -> Episode:
    recipe = replace(SETS[task_set], seed=909) if task_set.endswith("v1") else SETS[task_set]
    world = generate(recipe, task_set, index, recipe.seed, MemoryBlobs())
    told = world if hidden is None else replace(world, hidden=hidden)
    player = SolverAgent(SUITE.solver(agent), told)
    return harness.play(SUITE, world, agent, player, 0, materials_for(SUITE, MemoryBlobs()))


def score(episode: Episode) -> float:
    record: Any = episode.submission
    return float(record["summary"]["impact"])


def test_the_learner_imports_no_hidden_number() -> None:
    """Neither bars nor visibilities, pools or tiers; what it begins with differs from the truth."""
    source = inspect.getsource(learner)
    for name in ("VENUES", "AGENCIES", "POOLS", "TIERS", "truth"):
        assert hasattr(parameters, name) or name == "truth"
        assert name not in source
    first, true = learner.guesses(), truth()
    assert first.bars != true.bars
    assert first.visibility != true.visibility
    assert first.tiers != true.tiers
    assert first.pools != true.pools


def test_the_learner_comes_closer_to_the_bars() -> None:
    """After runs with many reviews, the bounds hold the true bars of the venues that it submitted to."""
    true, policies = truth(), []

    def made(lab: Any) -> learner.Learner:
        policies.append(learner.Learner())
        return policies[-1]

    for seed in (3101, 3102, 3103):
        play(made, seed, mode="closed")
    bounds = [(venue, pair) for policy in policies for venue, pair in policy._bounds.items()]
    assert len(bounds) >= 6
    for venue, (low, high) in bounds:
        assert low - 0.11 <= true.bars[venue] <= high + 0.11, venue


def test_the_learner_plays_about_as_well_as_the_steward() -> None:
    scores = {
        name: sum(impact(play(POLICIES[name], seed, mode="closed")) for seed in range(3101, 3107))
        for name in ("baseline", "learner")
    }
    assert scores["learner"] > 2 * scores["baseline"]


@pytest.mark.parametrize("agent", [name for name in SEALED if name != BLIND])
def test_shortcuts_gain_nothing_in_a_closed_world(agent: str) -> None:
    assert score(played(agent)) < 100


@pytest.mark.parametrize("agent", SEALED)
def test_shortcuts_are_told_nothing(agent: str) -> None:
    one, other = (played(agent, hidden={"lab_seed": seed}) for seed in (1, 2))
    assert one.events == other.events


def test_the_plan_without_eyes_makes_the_same_calls_everywhere() -> None:
    """It reads nothing, so that the world changes neither its calls nor their order."""
    calls = [
        [(event.tool, event.arguments) for event in played(BLIND, index=at).events if event.tool == "act"]
        for at in (0, 1)
    ]
    # A month that a closed lab does not reach is not played.
    shorter = min(map(len, calls))
    assert shorter > 100
    assert calls[0][:shorter] == calls[1][:shorter]


def test_the_plan_without_eyes_makes_fewer_calls_than_a_month_has() -> None:
    """Otherwise the month would end early, and the plan lose its last calls."""
    plan = blind.read()
    assert max(len(list(plan.month(month))) for month in range(1, 61)) < TURNS * STEPS_OF_A_TURN


@pytest.mark.full
def test_looking_is_worth_more_than_the_plan_without_eyes() -> None:
    """On worlds that it was not tuned on, the plan has far less than the reference, and more than nothing."""
    means = [
        sum(impact(play(policy, seed, mode="closed")) for seed in range(6001, 6041)) / 40
        for policy in (POLICIES["learner"], lambda lab: partial(blind.blindly, blind.read()))
    ]
    assert means[0] > 3 * means[1] > 0


def test_the_reader_recognises_a_public_seed() -> None:
    """The weakness of the sets with the paper's seeds."""
    assert (
        score(played("shortcut-reader", "reference-v0", 3))
        == score(played("oracle", "reference-v0", 3))
        > 100
    )


def test_more_ability_scores_more() -> None:
    low, high = (sum(score(played(f"able-{n}", index=at)) for at in range(2)) for n in (0, 100))
    assert low < high


@pytest.mark.parametrize(
    ("task_set", "mode"),
    [("closed-v1", "closed"), ("as-published-v1", "as-published"), ("reference-v0", "mended")],
)
def test_a_brief_shows_the_mode(task_set: str, mode: str) -> None:
    seen = []

    class Looks:
        def act(self, brief: Any, call: Any, stream: Any) -> None:
            seen.append(mode_like(brief))

    recipe = replace(SETS[task_set], seed=909)
    world = generate(recipe, task_set, 0, 909, MemoryBlobs())
    harness.play(SUITE, world, "looks", Looks(), 0, materials_for(SUITE, MemoryBlobs()))
    assert seen == [mode]


@pytest.mark.full
def test_the_guesser_is_trained_on_its_recipe() -> None:
    from assay.sessions.training import guessers, train

    (guesser,) = guessers(SUITE).values()
    assert train(SUITE, guesser) == guesser.file.read_text(encoding="utf-8")
