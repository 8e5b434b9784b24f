"""Plays tasks for the committed files from which cards are made (`assay.validity.fresh`)."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable

import numpy as np

from assay.agents.solver import SolverAgent
from assay.config.agents import SolverEntry
from assay.config.models import Config, SuiteConfig
from assay.config.sets import find_recipe
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.errors import UnknownName
from assay.numbers import rng
from assay.protocol import NEVER_SCORED, Materials, Yardstick
from assay.sessions.assessment import assess
from assay.sessions.taskfiles import find_task, tasks_of
from assay.suite import Suite
from assay.tables.writer import rounded
from assay.task import Task
from assay.validity.fresh import DIGITS, SEED, Fresh

LARGEST_SEED = 1 << 31


def players(config: Config, suite: str, task_set: str, *, fresh: bool = True) -> dict[str, str]:
    """Return who plays a set, with the role of each: all of its solvers but conducts.

    With `fresh`, these are the players of its fresh tasks, among them those that play no other tasks of it.
    """
    chosen: dict[str, str] = {}
    for name, entry in config.agents.items():
        if not isinstance(entry, SolverEntry):
            continue
        sets = entry.suites.get(suite, [])
        if sets != "all" and task_set not in (*sets, *(entry.fresh.get(suite, []) if fresh else ())):
            continue
        if (role := entry.role_in(suite)) != "conduct":
            chosen[name] = role
    return chosen


def measure(config: Config, suite: Suite, task_set: str, tasks: int, agents: Iterable[str] = ()) -> Fresh:
    """Play fresh tasks of a set with its solvers, and return what they scored.

    Args:
        config: The configuration, which says who plays the set.
        suite: The suite.
        task_set: The set whose recipe gives the tasks.
        tasks: How many tasks.
        agents: Names of the agents that play; by default all of `players`.

    Raises:
        UnknownName: If an agent does not play the set.
    """
    known = players(config, suite.name, task_set)
    roles = {name: known[name] for name in agents if name in known} or known
    if missing := [name for name in agents if name not in known]:
        raise UnknownName(
            f"{missing[0]} is no solver that plays {suite.name}/{task_set}",
            f"choose among {', '.join(sorted(known))}",
        )
    yardstick = _yardstick(suite)
    recipe, room = find_recipe(suite, task_set, SEED), suite.room("tasks")
    of_chance = () if isinstance(yardstick.chance, float | int) else yardstick.chance
    scores: dict[str, list[float]] = {name: [] for name in roles}
    for number in range(tasks):
        copy, index = divmod(number, recipe.size)
        seed = rng.stream(SEED, "fresh", suite.name, task_set, copy).below(LARGEST_SEED - 1)
        blobs = MemoryBlobs()
        task = room.generate(recipe, task_set, index, seed, blobs)
        for name in roles:
            entry = config.agents[name]
            assert isinstance(entry, SolverEntry)
            # The other agents are compared with chance, so chance plays as often as in a build: its luck then
            # averages out.
            times = entry.attempts if name in of_chance else 1
            solver, materials = entry.solver or name, materials_for(suite, blobs)
            values = [_score(suite, task, name, solver, yardstick, materials, at) for at in range(times)]
            scores[name].append(round(math.fsum(values) / times, DIGITS))
    return Fresh(task_set, SEED, tasks, roles, scores)


def measure_probes(
    config: Config,
    suite_config: SuiteConfig,
    task_set: str,
    shortcuts: Collection[str] = (),
    most: int | None = None,
) -> Fresh:
    """Play a frozen set, or its first `most` tasks, with its planted abilities and some of its shortcuts.

    Scores have the digits of the table `scores`, so that a card has the same bytes whether they were kept or
    played in the build.

    Raises:
        UnknownName: If the set is not frozen, no planted ability or named shortcut plays it, or a name is no
            shortcut that plays it.
    """
    suite = suite_config.suite
    known = players(config, suite.name, task_set, fresh=False)
    for name in shortcuts:
        if known.get(name) != "shortcut":
            raise UnknownName(
                f"{name} is no shortcut that plays {suite.name}/{task_set}",
                "name shortcuts that config/agents.yaml lists for the set",
            )
    probes = {name: role for name, role in known.items() if role == "able" or name in shortcuts}
    if not probes or suite_config.file.sets.get(task_set) != "frozen":
        raise UnknownName(
            f"no planted ability plays a frozen set {suite.name}/{task_set}",
            "name a set that config/agents.yaml lists for able-0, or a shortcut: --shortcuts NAME",
        )
    yardstick, blobs = _yardstick(suite), MemoryBlobs()
    size = len(tasks_of(suite_config, task_set, blobs)[:most])
    tasks = [find_task(suite_config, f"{task_set}/{index}", blobs) for index in range(size)]
    materials = materials_for(suite, blobs)
    scores = {
        name: rounded(
            np.array([_score(suite, task, name, name, yardstick, materials, 0) for task in tasks])
        ).tolist()
        for name in probes
    }
    return Fresh(task_set, None, len(tasks), probes, scores, [task.task_id for task in tasks])


def _yardstick(suite: Suite) -> Yardstick:
    return suite.room("validity").YARDSTICK if suite.has("validity") else Yardstick(None, ())


def _score(
    suite: Suite,
    task: Task,
    name: str,
    solver: str,
    yardstick: Yardstick,
    materials: Materials,
    attempt: int,
) -> float:
    """Return what an episode counts, as `assay.validity.fresh.worth` does it for tables."""
    episode = play(
        suite, task, name, SolverAgent(suite.solver(solver), task, materials.blobs), attempt, materials
    )
    if episode.status in NEVER_SCORED:
        return 0.0
    result = assess(suite, task, episode, materials)
    if yardstick.gate is not None:
        statement, verdict = yardstick.gate
        labels = [flag.label.partition(",")[0] for flag in result.flags if flag.flag == statement]
        if labels != [verdict]:
            return 0.0
    return float(result.score or 0.0)
