"""The reference without privilege, planted abilities and shortcuts of the v1 sets."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

import pytest
from tests.suites.pilab.episodes import SUITE

from assay.agents.solver import SolverAgent
from assay.episodes import harness
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import Episode
from assay.suites.pilab.environment import parameters
from assay.suites.pilab.experiments.runs import POLICIES, play
from assay.suites.pilab.lab.papers import impact
from assay.suites.pilab.policies import learner
from assay.suites.pilab.policies.steward import truth
from assay.suites.pilab.solvers import mode_like
from assay.suites.pilab.tasks import SETS, generate
from assay.suites.pilab.validity.shortcuts import SHORTCUTS

SEALED = [name for name in SHORTCUTS if name != "shortcut-manager"]


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


@pytest.mark.parametrize("agent", SEALED)
def test_shortcuts_gain_nothing_in_a_closed_world(agent: str) -> None:
    assert score(played(agent)) < 100


@pytest.mark.parametrize("agent", SEALED)
def test_shortcuts_are_told_nothing(agent: str) -> None:
    one, other = (played(agent, hidden={"lab_seed": seed}) for seed in (1, 2))
    assert one.events == other.events


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
