"""Shortcuts and planted abilities: what they may know, and that a shortcut plays without the truth."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.agents.solver import SolverAgent
from assay.config.archive import Archive
from assay.config.loading import load
from assay.config.models import Config
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.numbers import rng
from assay.protocol import Brief, Json, Result
from assay.suite import Suite
from assay.tables.schemas.validity import ABILITIES
from assay.task import Task, file_name, read_frozen

ROOT = Path(__file__).resolve().parents[2]

DEAR = {("collider", "shortcut-table"): Result(({"xsec_fb": 2.5, "events": 2000},))}
"""What a stand-in gives to every call where the real world would have to generate events."""

Heard = list[tuple[str, Json]]


def configurations() -> list[Config]:
    return [load(ROOT / path) for path in ("config/config.yaml", "config/test/madeup.yaml")]


@pytest.fixture(autouse=True)
def in_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def probes(role: str) -> Iterator[tuple[str, str, str, str]]:
    """Configuration, suite, agent and a frozen set that it plays."""
    for path in ("config/config.yaml", "config/test/madeup.yaml"):
        config = load(ROOT / path)
        for agent, entry in config.agents.items():
            for suite, sets in entry.suites.items():
                if entry.kind != "solver" or entry.role_in(suite) != role:
                    continue
                declared = config.suites[suite].file.sets
                folder = ROOT / config.suites[suite].entry.tasks / suite
                # A committed set has no files before its secret is revealed.
                frozen = [n for n in declared if declared[n] == "frozen" and any((folder / n).glob("*.json"))]
                played = [n for n in frozen if sets == "all" or n in sets]
                if played:
                    yield path, suite, agent, played[0]


def tasks_of(path: str, suite: str, task_set: str) -> tuple[Suite, list[Task], MemoryBlobs]:
    config = load(Path(path)).suites[suite]
    folder = config.entry.tasks / suite / task_set
    tasks = [read_frozen(folder / file_name(at)) for at in (0, 1)]
    blobs = MemoryBlobs()
    if tasks[0].blobs:
        made = config.suite.room("tasks")
        recipe = made.SETS[task_set]
        if recipe.archived:
            tasks[0] = Archive(folder, suite).task(0, blobs)
        else:
            tasks[0] = made.generate(recipe, task_set, 0, recipe.seed, blobs)
    return config.suite, tasks, blobs


@pytest.mark.parametrize(("path", "suite", "agent", "task_set"), list(probes("shortcut")))
def test_a_shortcut_plays_the_same_whatever_the_hidden_half_of_its_task(
    path: str, suite: str, agent: str, task_set: str
) -> None:
    of_suite, (task, other), blobs = tasks_of(path, suite, task_set)
    solver = of_suite.solver(agent)
    heard: list[tuple[str, Json, Result]] = []
    briefs: list[Brief] = []

    class Recording:
        """The shortcut, with each call and its result kept."""

        def act(self, brief: Brief, call: Any, stream: rng.Stream) -> None:
            briefs.append(brief)

            def kept(tool: str, arguments: Json) -> Result:
                result = DEAR.get((suite, agent)) or call(tool, arguments)
                heard.append((tool, arguments, result))
                return result

            SolverAgent(solver, task, blobs).act(brief, kept, stream)

    play(of_suite, task, agent, Recording(), 0, materials_for(of_suite, blobs))
    assert heard, "it did nothing"

    again: Heard = []

    def repeated(tool: str, arguments: Json) -> Result:
        again.append((tool, arguments))
        return heard[len(again) - 1][2]

    altered = replace(task, hidden=other.hidden)
    stream = rng.stream(0, task.suite, task.task_set, task.task_id, "agent", agent, 0)
    SolverAgent(solver, altered, blobs).act(briefs[0], repeated, stream)
    assert again == [(tool, arguments) for tool, arguments, _ in heard]


@pytest.mark.parametrize("config", configurations(), ids=["project", "madeup"])
def test_shortcuts_declare_what_they_exploit_and_are_told_nothing(config: Config) -> None:
    for suite in config.suites.values():
        for name, solver in suite.suite.room("shortcuts").SHORTCUTS.items():
            assert name.startswith("shortcut-")
            assert not solver.privileged, name
            assert re.fullmatch(r"[A-Z].*[^.]\.", solver.exploits), name
            assert solver.exploits.count(". ") == 0, f"{name}: one sentence"


@pytest.mark.parametrize("config", configurations(), ids=["project", "madeup"])
def test_every_suite_has_all_planted_abilities(config: Config) -> None:
    for suite in config.suites.values():
        expected = {f"able-{share}" for share in ABILITIES}
        assert suite.suite.room("abilities").ABILITIES.keys() == expected


@pytest.mark.parametrize("config", configurations(), ids=["project", "madeup"])
def test_what_is_configured_is_there(config: Config) -> None:
    for agent, entry in config.agents.items():
        for suite in entry.suites:
            if entry.kind == "solver":
                assert config.suites[suite].suite.solver(entry.solver or agent)


@pytest.mark.parametrize(
    ("path", "suite", "task_set"),
    sorted({(path, suite, task_set) for path, suite, agent, task_set in probes("able") if agent == "able-0"}),
)
def test_more_ability_scores_more(path: str, suite: str, task_set: str) -> None:
    of_suite, (task, _), blobs = tasks_of(path, suite, task_set)
    materials = materials_for(of_suite, blobs)
    scores = {}
    for agent in ("able-0", "able-100"):
        player = SolverAgent(of_suite.solver(agent), task, blobs)
        episode = play(of_suite, task, agent, player, 0, materials)
        of_episode = of_suite.room("scoring").score(task, episode, materials)
        scores[agent] = next(s.value for s in of_episode if s.metric == "score" and s.step is None)
    assert (scores["able-0"] or 0.0) < (scores["able-100"] or 0.0)
