"""Every score once more, by a second and simpler implementation: both must say the same.

`ASSAY_BUILD=folder make soak ARGS="-k rescoring"` compares all episodes of a build.
"""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path

import pytest
from tests.rescoring import generated
from tests.rescoring.builds import Results
from tests.rescoring.comparing import Tally, equal, second

from assay.agents.solver import SolverAgent
from assay.config.archive import Archive
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.protocol import NEVER_SCORED
from assay.sessions.replay import replay
from assay.suite import solver_room, suite
from assay.task import read_frozen

ROOT = Path(__file__).parents[2]
SUITES = ("petri", "causalab", "pilab", "collider", "sgi")


def scores(name, task, episode, materials):
    """The first implementation's values."""
    found = suite(name).room("scoring").score(task, episode, materials)
    return {(s.profile, s.metric, s.step): s.value for s in found}


def compare(tally, name, task, episode, materials):
    first = scores(name, task, episode, materials)
    other = second(name).rescore(task, episode, materials.blobs.get, first)
    tally.compare(second(name), (task.task_set, task.task_id, episode.agent, episode.attempt), first, other)


def judge(tally, least):
    print(f"{tally.episodes} episodes, {tally.values} values, {sum(tally.uncounted.values())} not counted")
    assert tally.differences == []
    assert tally.episodes >= least


# ------------------------------------------------------------ what is covered


@pytest.mark.parametrize("name", SUITES)
def test_every_declared_metric_has_a_second_implementation_or_a_reason(name):
    declared = set(suite(name).room("scoring").METRICS)
    exempt = second(name).EXEMPT
    assert exempt.keys() <= declared
    assert all(exempt.values())
    source = "".join(path.read_text("utf-8") for path in Path(__file__).parent.glob(f"{name}*.py"))
    # Names of one form are written once: f"pass_all_{k}", f"{name}_objective".
    forms = [
        re.sub(r"\{\w+\}", r"\\w+", form) for form in re.findall(r'f"(\w+_\{\w+\}|\{\w+\}_\w+)"', source)
    ]
    made = {metric for metric in declared if any(re.fullmatch(form, metric) for form in forms)}
    computed = {metric for metric in declared if f'"{metric}"' in source}
    assert declared - computed - made - exempt.keys() == set()


def test_a_wrong_value_is_noticed():
    tally, room = Tally(), second("petri")
    tally.compare(room, "here", {("default", "score", None): 1.0}, {("default", "score", None): 1.0 + 1e-6})
    tally.compare(room, "there", {("default", "score", None): 1.0}, {})
    tally.compare(room, "anywhere", {}, {("default", "score", None): None})
    assert len(tally.differences) == 3
    assert not equal(None, 0.0)


# ------------------------------------------------------------ quick

PLAYED = {
    ("petri", "swarm-v0"): ("ofat", "honest", "guesser", "contradictor"),
    ("causalab", "smoke-v0"): ("exact", "greedy", "map", "honest", "mute"),
    ("causalab", "main-v1"): ("exact", "committer", "map"),
    ("causalab", "scaling-v1"): ("exact",),
    ("causalab", "variants-v1"): ("exact",),
    ("causalab", "beyond-v1"): ("aware", "unaware", "mute"),
    ("sgi", "smoke-v0"): ("chance",),
    ("sgi", "smoke-v1"): ("oracle", "chance", "able-75", "shortcut-house"),
    ("collider", "smoke-v0"): ("flat", "right-shape", "untouched"),
}


@pytest.mark.parametrize(("name", "task_set"), PLAYED)
def test_episodes_played_on_the_spot(name, task_set):
    play_and_compare(name, task_set, PLAYED[name, task_set], 6 if name == "sgi" else 2)


def play_and_compare(name, task_set, solvers, count):
    found, blobs, tally = suite(name), MemoryBlobs(), Tally()
    materials = materials_for(found, blobs)
    for path in sorted((ROOT / "tasks" / name / task_set).glob("*.json"))[:count]:
        task, recipe = read_frozen(path), found.find("tasks", "SETS", task_set)
        if task.blobs and recipe.archived:
            Archive(path.parent, name).with_contents(task, blobs)
        elif task.blobs:  # documents and pictures are made with the task
            found.room("tasks").generate(recipe, task_set, int(path.stem), recipe.seed, blobs)
        for solver in solvers:
            room, collection = solver_room(solver)
            agent = SolverAgent(getattr(found.load(room), collection)[solver], task, blobs)
            compare(tally, name, task, play(found, task, solver, agent, 0, materials), materials)
    judge(tally, len(solvers))


@pytest.mark.parametrize("name", ["petri", "causalab"])
def test_recordings_in_git(name):
    found, tally = suite(name), Tally()
    paths = sorted((ROOT / "recordings").glob(f"*/{name}/*/*.jsonl"))[:8]
    for path in paths:
        task_id = path.name.rsplit(".", 2)[0]
        folder = ROOT / "tasks" / name / path.parent.name
        task = next(t for t in map(read_frozen, sorted(folder.glob("*.json"))) if t.task_id == task_id)
        materials = materials_for(found, MemoryBlobs())
        episode = replay(found, task, path, materials)
        assert episode.status not in NEVER_SCORED
        compare(tally, name, task, episode, materials)
    judge(tally, 2)


GENERATED_QUICKLY = {"petri": 300, "causalab": 40, "collider": 30, "sgi": 60}


@pytest.mark.parametrize("name", GENERATED_QUICKLY)
def test_some_generated_episodes(name):
    generate_and_compare(name, GENERATED_QUICKLY[name])


def generate_and_compare(name, count):
    tally = Tally()
    for task, episode in generated.episodes(name, count):
        compare(tally, name, task, episode, generated.materials(name))
    judge(tally, count)


# ------------------------------------------------------------ minutes and hours


@pytest.mark.full
@pytest.mark.parametrize("name", generated.SHARES)
def test_ten_thousand_generated_episodes(name):
    generate_and_compare(name, generated.SHARES[name])


@pytest.mark.full
@pytest.mark.parametrize("family", ["wet", "ideas", "dry", "research", "reasoning", "investigation"])
def test_partly_right_replies_of_version_1(family):
    solvers = ("able-25", "able-50", "able-75", "shortcut-random", "shortcut-lookup")
    play_and_compare("sgi", f"{family}-v1", solvers, 10)


def compare_build(build, name):
    results, tally = Results(build, name), Tally()
    for task, episode, first in results.episodes(second(name).needs_events):
        other = second(name).rescore(task, episode, results.blobs.get, first)
        tally.compare(
            second(name), (task.task_set, task.task_id, episode.agent, episode.attempt), first, other
        )
    judge(tally, 1)


@pytest.mark.full
@pytest.mark.parametrize("name", SUITES)
def test_every_episode_of_the_real_suites(real, name):
    compare_build(real.root, name)


@pytest.mark.soak
@pytest.mark.parametrize("name", SUITES)
def test_every_episode_of_a_build_of_all(name):
    build = os.environ.get("ASSAY_BUILD")
    if not build:
        pytest.skip("ASSAY_BUILD names no folder of a build")
    with warnings.catch_warnings():
        compare_build(Path(build), name)
