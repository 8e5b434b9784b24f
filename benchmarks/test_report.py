"""What the pages of episodes cost in time and bytes: of one call, of a whole log, of a long one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from assay.agents.solver import SolverAgent
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.report.viewer import Shown, Viewer
from assay.sessions.assessment import assess
from assay.suite import suite
from assay.task import read_frozen

ROOT = Path(__file__).parents[1]

EPISODES = {
    "one call": ("petri", "l2-v0/00001", "random"),
    "experiments": ("petri", "l2-v0/00001", "ofat"),
    "graphs": ("causalab", "main-v0/00012", "exhaustive"),
    "sixty months": ("pilab", "reference-v0/00000", "baseline"),
    "histogram and ledger": ("collider", "mock-v0/00000", "mock-typist"),
    "protocol": ("sgi", "wet-v0/00000", "oracle"),
}


@pytest.mark.parametrize("name", EPISODES)
def test_an_episode_as_html(benchmark: BenchmarkFixture, name: str) -> None:
    found, path, solver_name = EPISODES[name]
    of = suite(found)
    task = read_frozen(ROOT / "tasks" / found / f"{path}.json")
    materials = materials_for(of, MemoryBlobs())
    solver = of.find("solvers", "SOLVERS", solver_name)
    episode = play(of, task, solver_name, SolverAgent(solver, task), 0, materials)
    judged = assess(of, task, episode, materials)
    shown = Shown(task, episode, judged.scores, judged.flags, True, len(episode.events))
    viewer = Viewer(of, materials, lambda content: "picture.png")
    text = benchmark(viewer.article, shown)
    benchmark.extra_info.update(events=len(episode.events), bytes=len(text.encode()))


def test_fifty_episodes_of_one_call_on_a_page(benchmark: BenchmarkFixture) -> None:
    of = suite("petri")
    task = read_frozen(ROOT / "tasks/petri/l2-v0/00001.json")
    materials = materials_for(of, MemoryBlobs())
    solver = of.find("solvers", "SOLVERS", "random")
    viewer = Viewer(of, materials, lambda content: None)
    episode = play(of, task, "random", SolverAgent(solver, task), 0, materials)
    judged = assess(of, task, episode, materials)
    one = Shown(task, episode, judged.scores, judged.flags, True, len(episode.events))
    page = [replace(one, episode=replace(episode, attempt=n)) for n in range(50)]
    text = benchmark(lambda: "".join(map(viewer.article, page)))
    benchmark.extra_info.update(bytes=len(text.encode()))
