"""A few dozen episodes of every suite: scripted agents at frozen tasks, and made-up ones from a seed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from assay.agents.solver import SolverAgent
from assay.config.archive import Archive
from assay.episode import Episode
from assay.episodes.artefacts import materials_for
from assay.episodes.blobs import MemoryBlobs
from assay.episodes.harness import play
from assay.protocol import Materials
from assay.suite import suite
from assay.task import Task, file_name, read_frozen
from tests.rescoring import generated

ROOT = Path(__file__).parents[2]

PLAYED: dict[str, tuple[tuple[str, tuple[int, ...], tuple[str, ...]], ...]] = {
    "petri": (
        (
            "swarm-v0",
            (0, 2, 4),
            ("honest", "misled", "matcher", "guesser", "spender", "assumer", "contradictor", "misjudger"),
        ),
        ("vector-v0", (1,), ("ofat", "matcher")),
        ("l4-v0", (7,), ("bisection", "random", "spender", "mute")),
    ),
    "causalab": (
        (
            "main-v0",
            (0, 1),
            ("honest", "fluke", "contradictor", "quitter", "forgetful", "fitter", "mute", "greedy"),
        ),
        ("embodied-v0", (0,), ("visitor", "mute")),
    ),
    "pilab": (
        ("smoke-v0", (0,), ("do-nothing", "silent", "snoop", "duplicator", "hire-max", "oracle")),
        ("reference-v0", (0,), ("baseline",)),
    ),
    "collider": (
        (
            "mock-v0",
            (0, 1),
            (
                "mock-honest",
                "mock-copier",
                "mock-typist",
                "mock-scaler",
                "mock-editor",
                "mock-stranger",
                "mock-boaster",
                "mock-truncated",
                "untouched",
                "zeros",
            ),
        ),
        ("cms-v0", (0,), ("reference-copy", "right-shape", "wrong-normalisation")),
    ),
    "sgi": (
        (
            "wet-v0",
            (0,),
            (
                "oracle",
                "wrong-doses",
                "last-missing",
                "extra-first",
                "literals-for-references",
                "decoys-only",
            ),
        ),
        ("dry-v0", (0,), ("oracle", "mutant", "memoriser", "idle", "unfilled")),
        (
            "research-v0",
            (0,),
            ("oracle", "reader", "right-steps-wrong-answer", "right-answer-wrong-steps", "answer-alone"),
        ),
        ("ideas-v0", (0,), ("oracle", "copier", "keyword-stuffer", "one-sentence", "reversed-order")),
        (
            "reasoning-v0",
            (0,),
            ("oracle", "right-steps-wrong-answer", "right-answer-wrong-steps", "answer-alone", "flood"),
        ),
    ),
}
"""By suite: a frozen set, places in it, and solvers."""

GENERATED = {"petri": 60, "causalab": 24, "collider": 30, "sgi": 40}


@cache
def materials(name: str) -> Materials:
    return materials_for(suite(name), MemoryBlobs())


@cache
def played(name: str, task_set: str, index: int, solver: str) -> tuple[Task, Episode]:
    found = suite(name)
    task = read_frozen(ROOT / "tasks" / name / task_set / file_name(index))
    if task.blobs:  # contents that it shows are made with it
        rooms, blobs = found.room("tasks"), materials(name).blobs
        recipe = rooms.SETS[task_set]
        if recipe.archived:
            task = Archive(ROOT / "tasks" / name / task_set, name).task(index, blobs)
        else:
            rooms.generate(recipe, task_set, index, recipe.seed, blobs)
    acting = found.find("solvers", "SOLVERS", solver)
    return task, play(found, task, solver, SolverAgent(acting, task), 0, materials(name))


def scripted(name: str) -> Iterator[tuple[str, int, str]]:
    """Set, place and solver of every episode that is played."""
    for task_set, indices, solvers in PLAYED[name]:
        for index in indices:
            for solver in solvers:
                yield task_set, index, solver


@cache
def made_up(name: str) -> list[tuple[Task, Episode]]:
    return list(generated.episodes(name, GENERATED[name], seed=27))


def parts(name: str) -> list[str]:
    """Each set of played episodes, and tens of made-up ones: small, so that a difference shows early."""
    sets = [f"played {task_set}" for task_set, _, _ in PLAYED[name]]
    return sets + [f"made up {start}" for start in range(0, GENERATED.get(name, 0), 10)]


def part(name: str, which: str) -> Iterator[tuple[str, Task, Episode]]:
    """The episodes of one part, each with what it is called."""
    kind, _, rest = which.rpartition(" ")
    if kind == "played":
        for task_set, index, solver in scripted(name):
            if task_set == rest:
                yield f"{task_set}/{index} {solver}", *played(name, task_set, index, solver)
        return
    for at, (task, episode) in enumerate(made_up(name)[int(rest) : int(rest) + 10], int(rest)):
        yield f"made up {at}", task, episode
